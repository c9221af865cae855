BEGIN TRANSACTION;
CREATE TABLE attempts (
    digest TEXT NOT NULL, grader TEXT NOT NULL, seed INTEGER NOT NULL, check_id TEXT NOT NULL,
    times INTEGER NOT NULL, PRIMARY KEY (digest, grader, seed, check_id)
);
INSERT INTO "attempts" VALUES('0348f1d7475d5132ce587a031b516a3bedc79ddb94bb2a8d0d044b397cf71cac','9e8cdfb2a8910fe0',1234,'hw2.returns.reward_to_go',1);
INSERT INTO "attempts" VALUES('0348f1d7475d5132ce587a031b516a3bedc79ddb94bb2a8d0d044b397cf71cac','9e8cdfb2a8910fe0',1234,'hw2.returns.gae',1);
INSERT INTO "attempts" VALUES('1025c513278e4c681ffbc2e2501f29b5c8cdecffb4f201f4a96a648166aa79b2','9e8cdfb2a8910fe0',1234,'hw2.returns.reward_to_go',1);
INSERT INTO "attempts" VALUES('1025c513278e4c681ffbc2e2501f29b5c8cdecffb4f201f4a96a648166aa79b2','9e8cdfb2a8910fe0',1234,'hw2.returns.gae',1);
INSERT INTO "attempts" VALUES('1df4b65c018c3b8798a6cb9a9404963e25ec6a545e7a608590ffddca858f36be','9e8cdfb2a8910fe0',1234,'hw2.returns.reward_to_go',1);
INSERT INTO "attempts" VALUES('1df4b65c018c3b8798a6cb9a9404963e25ec6a545e7a608590ffddca858f36be','9e8cdfb2a8910fe0',1234,'hw2.returns.gae',1);
CREATE TABLE copies (
    digest TEXT NOT NULL, question TEXT NOT NULL, mistake TEXT NOT NULL, line TEXT NOT NULL,
    told TEXT NOT NULL
);
INSERT INTO "copies" VALUES('1025c513278e4c681ffbc2e2501f29b5c8cdecffb4f201f4a96a648166aa79b2','hw2.returns.gae','{"id": "evidence.duplicate", "title": "Two runs are one and the same, under different names.", "explanation": "Runs with different seeds or settings never share their losses or weights, and no two take the same time. Where two students hand in one run, nobody can tell whose it is: the one that came first counts; if nothing tells which did, neither. Ask your instructor.", "reference": "docs/hw3.md, ''Questions'', what to hand in"}','hw3_old shares the same weights with a run that somebody else handed in','ada and ben handed in runs with the same weights: hw3_old, hw3_old');
CREATE TABLE curves (
    digest TEXT NOT NULL, question TEXT NOT NULL, label TEXT NOT NULL, x TEXT NOT NULL,
    y TEXT NOT NULL, PRIMARY KEY (digest, question, label)
);
INSERT INTO "curves" VALUES('1df4b65c018c3b8798a6cb9a9404963e25ec6a545e7a608590ffddca858f36be','hw3.runs.q4_100_1','hw3_old','[100.0, 200.0, 300.0]','[10.0, 50.0, 90.0]');
CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO "facts" VALUES('schema','1');
INSERT INTO "facts" VALUES('deadline','2026-10-01T23:59:00+02:00');
INSERT INTO "facts" VALUES('seed','961951589');
INSERT INTO "facts" VALUES('homework','hw2');
INSERT INTO "facts" VALUES('roster','[]');
INSERT INTO "facts" VALUES('current','2');
CREATE TABLE gradings (
    id INTEGER PRIMARY KEY, grader TEXT NOT NULL, seed INTEGER NOT NULL, level TEXT NOT NULL,
    began TEXT NOT NULL, finished TEXT, UNIQUE (grader, seed, level)
);
INSERT INTO "gradings" VALUES(1,'9e8cdfb2a8910fe0',1234,'formula','2026-11-26T00:03:05+00:00','2026-11-26T00:03:16+00:00');
INSERT INTO "gradings" VALUES(2,'9e8cdfb2a8910fe0',1234,'probe','2026-11-26T00:03:35+00:00','2026-11-26T00:03:35+00:00');
CREATE TABLE runs (
    digest TEXT NOT NULL, question TEXT NOT NULL, name TEXT NOT NULL, sketch TEXT NOT NULL,
    PRIMARY KEY (digest, question, name)
);
INSERT INTO "runs" VALUES('1df4b65c018c3b8798a6cb9a9404963e25ec6a545e7a608590ffddca858f36be','hw3.runs.q4_1_1','hw3_old_CartPole-v0_2026-11-25_23-56-26','{"question": "hw3.runs.q4_1_1", "name": "hw3_old_CartPole-v0_2026-11-25_23-56-26", "identity": "{\"batch_size\": 100, \"discount\": 1.0, \"dont_standardize_advantages\": false, \"env_name\": \"CartPole-v0\", \"ep_len\": 200, \"learning_rate\": 0.005, \"load\": null, \"n_layers\": 1, \"num_actor_updates_per_agent_update\": 1, \"num_agent_train_steps_per_iter\": 1, \"num_critic_updates_per_agent_update\": 1, \"num_grad_steps_per_target_update\": 10, \"num_target_updates\": 10, \"script\": \"run_hw3_actor_critic\", \"seed\": 1, \"size\": 8, \"time_limit\": \"auto\"}", "weights": "ffdc7be4e513113f3d06e034c1098f64040f46ca3c32650841a119f1ea1ddaf7", "rows": {"Critic_Loss": {"4": "3.06", "1": "0.866"}, "Train_StdReturn": {"4": "22.8", "1": "3.31"}, "TimeSinceStart": {"4": "1.7801566100006312", "1": "0.17269514200052072"}}, "owner": ""}');
CREATE TABLE students (student TEXT PRIMARY KEY, name TEXT, email TEXT);
INSERT INTO "students" VALUES('ada',NULL,NULL);
INSERT INTO "students" VALUES('ben',NULL,NULL);
INSERT INTO "students" VALUES('eve',NULL,NULL);
CREATE TABLE submissions (
    source TEXT PRIMARY KEY, student TEXT NOT NULL, received TEXT, digest TEXT, problem TEXT,
    counts INTEGER NOT NULL
);
INSERT INTO "submissions" VALUES('ada','ada',NULL,'1df4b65c018c3b8798a6cb9a9404963e25ec6a545e7a608590ffddca858f36be',NULL,1);
INSERT INTO "submissions" VALUES('ben','ben',NULL,'1025c513278e4c681ffbc2e2501f29b5c8cdecffb4f201f4a96a648166aa79b2',NULL,1);
INSERT INTO "submissions" VALUES('eve','eve',NULL,'0348f1d7475d5132ce587a031b516a3bedc79ddb94bb2a8d0d044b397cf71cac',NULL,1);
CREATE TABLE verdicts (
    digest TEXT NOT NULL, grader TEXT NOT NULL, seed INTEGER NOT NULL, check_id TEXT NOT NULL,
    title TEXT NOT NULL, points INTEGER NOT NULL, max_points INTEGER NOT NULL,
    verdict TEXT NOT NULL, mistakes TEXT NOT NULL, message TEXT NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (digest, grader, seed, check_id)
);
INSERT INTO "verdicts" VALUES('0348f1d7475d5132ce587a031b516a3bedc79ddb94bb2a8d0d044b397cf71cac','9e8cdfb2a8910fe0',1234,'hw2.returns.reward_to_go','reward-to-go',0,10,'blank','[]','not filled yet',1.90509061999364348594e-01);
INSERT INTO "verdicts" VALUES('0348f1d7475d5132ce587a031b516a3bedc79ddb94bb2a8d0d044b397cf71cac','9e8cdfb2a8910fe0',1234,'hw2.returns.gae','generalised advantages',0,15,'blank','[]','not filled yet',1.08616473999973095487e-01);
INSERT INTO "verdicts" VALUES('1025c513278e4c681ffbc2e2501f29b5c8cdecffb4f201f4a96a648166aa79b2','9e8cdfb2a8910fe0',1234,'hw2.returns.reward_to_go','reward-to-go',0,10,'failed','[{"id": "to_go.not_discounted", "title": "What follows is not discounted.", "explanation": "A reward k steps ahead counts discount to the power of k. It shows only where the discount is below 1.", "reference": "Sutton and Barto 2018, section 3.3, equation 3.9"}]','',1.03746021000006294343e-01);
INSERT INTO "verdicts" VALUES('1025c513278e4c681ffbc2e2501f29b5c8cdecffb4f201f4a96a648166aa79b2','9e8cdfb2a8910fe0',1234,'hw2.returns.gae','generalised advantages',15,15,'passed','[]','',0.0996192799993878);
INSERT INTO "verdicts" VALUES('1df4b65c018c3b8798a6cb9a9404963e25ec6a545e7a608590ffddca858f36be','9e8cdfb2a8910fe0',1234,'hw2.returns.reward_to_go','reward-to-go',10,10,'passed','[]','',9.57359000003634719178e-02);
INSERT INTO "verdicts" VALUES('1df4b65c018c3b8798a6cb9a9404963e25ec6a545e7a608590ffddca858f36be','9e8cdfb2a8910fe0',1234,'hw2.returns.gae','generalised advantages',15,15,'passed','[]','',1.22562798000217298977e-01);
COMMIT;
