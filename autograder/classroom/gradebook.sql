CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS gradings (
    id INTEGER PRIMARY KEY, grader TEXT NOT NULL, seed INTEGER NOT NULL, began TEXT NOT NULL,
    finished TEXT
);
CREATE TABLE IF NOT EXISTS students (student TEXT PRIMARY KEY, name TEXT, email TEXT);
CREATE TABLE IF NOT EXISTS submissions (
    source TEXT PRIMARY KEY, student TEXT NOT NULL, received TEXT, digest TEXT, problem TEXT,
    counts INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS verdicts (
    digest TEXT NOT NULL, grader TEXT NOT NULL, seed INTEGER NOT NULL, check_id TEXT NOT NULL,
    title TEXT NOT NULL, points INTEGER NOT NULL, max_points INTEGER NOT NULL,
    verdict TEXT NOT NULL, mistakes TEXT NOT NULL, message TEXT NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (digest, grader, seed, check_id)
);
CREATE TABLE IF NOT EXISTS attempts (
    digest TEXT NOT NULL, grader TEXT NOT NULL, seed INTEGER NOT NULL, check_id TEXT NOT NULL,
    times INTEGER NOT NULL, PRIMARY KEY (digest, grader, seed, check_id)
);
CREATE TABLE IF NOT EXISTS curves (
    digest TEXT NOT NULL, question TEXT NOT NULL, label TEXT NOT NULL, x TEXT NOT NULL,
    y TEXT NOT NULL, PRIMARY KEY (digest, question, label)
);
CREATE TABLE IF NOT EXISTS runs (
    digest TEXT NOT NULL, question TEXT NOT NULL, name TEXT NOT NULL, sketch TEXT NOT NULL,
    PRIMARY KEY (digest, question, name)
);
CREATE TABLE IF NOT EXISTS copies (
    digest TEXT NOT NULL, question TEXT NOT NULL, mistake TEXT NOT NULL, line TEXT NOT NULL,
    told TEXT NOT NULL, student TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS needs (
    student TEXT NOT NULL, "check" TEXT NOT NULL, reason TEXT NOT NULL, kind TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS hand_ins (
    student TEXT NOT NULL, digest TEXT NOT NULL, received TEXT NOT NULL, origin TEXT NOT NULL,
    PRIMARY KEY (student, digest, received, origin)
);
CREATE TABLE IF NOT EXISTS sources (
    digest TEXT NOT NULL, path TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (digest, path)
);
CREATE TABLE IF NOT EXISTS overrides (
    student TEXT NOT NULL, kind TEXT NOT NULL, check_id TEXT NOT NULL, points TEXT,
    comment TEXT NOT NULL, author TEXT NOT NULL, made TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (student, kind, check_id)
);
CREATE TABLE IF NOT EXISTS answers (
    student TEXT NOT NULL, question TEXT NOT NULL, item TEXT NOT NULL, points TEXT,
    comment TEXT NOT NULL, author TEXT NOT NULL, made TEXT NOT NULL,
    PRIMARY KEY (student, question, item)
);
