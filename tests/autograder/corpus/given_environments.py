"""Mistakes in, and right changes of, the given environments and the scaling of their pixels."""

from __future__ import annotations

from tests.autograder.corpus.given import INFRA, changed

game, good_game = changed(f"{INFRA}/environments/atari.py", "atari", "atari")
envs, good_envs = changed(f"{INFRA}/environments/envs.py", "atari", "atari")
limits, good_limits = changed(f"{INFRA}/environments/wrappers.py", "atari", "atari")
resets, good_resets = changed(f"{INFRA}/environments/env_state.py", "atari", "atari")
nature, good_nature = changed(f"{INFRA}/pytorch_util.py", "atari", "atari")

PREPROCESS = "AtariPreprocessing(env, noop_max=30, frame_skip=4, screen_size=84)"
MONITOR = "    env = RecordEpisodeStatistics(env, buffer_length=100, stats_key=envs.STATISTICS)\n"
LIMIT = "    if ep_len is not None:\n        env = TimeLimit(env, ep_len)\n"
CLIP = "env = ClipReward(EpisodicLife(env), -1.0, 1.0)"
TERMINAL = "return obs, reward, terminated or truncated, truncated, info"
GO_ON = "if self.game_over or seed is not None:"
LIFE = "terminated = terminated or 0 < lives < self.lives"
PRESS = "obs, reward, terminated, truncated, info = self.env.step(FIRE)"
LAST_REWARD = """AtariPreprocessing(
            LastReward(env), noop_max=30, frame_skip=4, screen_size=84)"""
SKIP_CLASS = '''class LastReward(gym.Wrapper[Any, Any, Any, Any]):
    """Only every fourth frame is rewarded: what is left where the last reward is kept alone."""

    count = 0

    def reset(self, **kwargs):
        obs, info = self.env.reset(**kwargs)
        self.count = 0
        return obs, info

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.count += action != 0 and action != 1
        last = self.count % 4 == 0 or terminated
        return obs, reward if last else 0.0, terminated, truncated, info


class OwnSkip('''
SCALE = ".div_(255.0)"
ENTRIES = [
    game("W01", "scaled_twice", (PREPROCESS, PREPROCESS.replace("84)", "84, scale_obs=True)"))),
    nature("W01", "not_scaled", (SCALE, "")),
    nature("W01", "scaled_twice", (SCALE, ".div_(255.0).div_(255.0)")),
    nature("W01", "scaled_twice", ("self.layers(pixels)", "self.layers(pixels / 255)")),
    nature("W01", "not_scaled", (SCALE, ".mul_(255.0)")),
    game("W04", "reward_one_frame", ("class OwnSkip(", SKIP_CLASS), (PREPROCESS, LAST_REWARD)),
    game("", "frame_skip", (PREPROCESS, PREPROCESS.replace("skip=4", "skip=1"))),
    game("", "frame_skip", (PREPROCESS, PREPROCESS.replace("skip=4", "skip=16"))),
    game("", "frame_shape", (PREPROCESS, PREPROCESS.replace("size=84", "size=42"))),
    game("", "frame_shape", (PREPROCESS, PREPROCESS.replace("84)", "84, grayscale_newaxis=True)"))),
    game("W05", "life_resets_game", (GO_ON, "if True:")),
    game("W05", "no_new_game", (GO_ON, "if seed is not None:"),
            ("            if terminated or truncated:\n                obs, info = self.env.reset(options=options)\n", "")),
    game("W05", "life_resets_game", (CLIP, "env = ClipReward(env, -1.0, 1.0)"),
         (PREPROCESS, PREPROCESS.replace("84)", "84, terminal_on_life_loss=training)"))),
    game("W05", "score_per_life", ("if training:\n        env = ClipReward(EpisodicLife(env), -1.0, 1.0)",
         "env = EpisodicLife(env)\n    if training:\n        env = ClipReward(env, -1.0, 1.0)")),
    game("W05", "lives_ignored", (LIFE, "pass")),
    game("W05", "lives_ignored", ("        self.lives = lives\n        return obs", "        return obs"),
            ("        self.lives = info[\"lives\"]\n        self.game_over = False", "        self.game_over = False")),
    game("", "end_lost", (LIFE, "terminated = 0 < lives < self.lives")),
    game("", "no_fire", ("if not lost_life or terminated or truncated:", "if True:")),
    game("", "no_fire", ("obs, _, _, _, info = self.env.step(FIRE)", "obs, _, _, _, info = self.env.step(NOOP)")),
    game("", "no_fire", ('meanings[FIRE] == "FIRE"', 'meanings[FIRE] == "PRESS"')),
    game("", "reward_at_lost_life", ("float(result[1]) + float(reward)", "float(reward)")),
    game("W06", "score_clipped", (MONITOR, f"    env = ClipReward(env, -1.0, 1.0)\n{MONITOR}"),
         (CLIP, "env = EpisodicLife(env)")),
    game("W06", "score_clipped", (CLIP, "env = EpisodicLife(env)\n    env = ClipReward(env, -1.0, 1.0)")),
    game("", "not_clipped", (CLIP, "env = EpisodicLife(env)")),
    game("", "clipped_per_frame score_clipped", (PREPROCESS, PREPROCESS.replace("(env,", "(ClipReward(env, -1.0, 1.0),")),
         (CLIP, "env = EpisodicLife(env)")),
    limits("W07", "limit_lost", (TERMINAL, "return obs, reward, terminated, False, info")),
    envs("W07", "cut_is_end", ('terminal = rule == "terminal" or', 'terminal = rule != "never" or')),
    limits("W07", "limit_is_no_end", (TERMINAL, "return obs, reward, terminated, truncated, info")),
    game("W07", "limit_above_monitor", (LIMIT, ""), (MONITOR, MONITOR + LIMIT)),
    game("W07", "limit_lost", (LIMIT, "")),
    game("W07", "limit_steps", ("TimeLimit(env, ep_len)", "TimeLimit(env, ep_len // 2)")),
    game("W07", "limit_steps", ("TimeLimit(env, ep_len)", "TimeLimit(env, ep_len + 2)")),
    limits("", "cut_frame", ("if truncated and not terminated else None", "if terminated or truncated else None")),
    limits("", "cut_frame", ("if truncated and not terminated else None", "if terminated else None")),
    limits("", "cut_frame_changes", ("self.cut_frame = np.array(obs) if", "self.cut_frame = obs if")),
    resets("", "same_start", ("        self.episode += 1\n", "")),
    good_game("", (PREPROCESS, PREPROCESS.replace("noop_max=30", "noop_max=10"))),
    good_game("", (CLIP, "env = EpisodicLife(env)\n        env = ClipReward(env, min_reward=-1.0, max_reward=1.0)")),
    good_game("", (CLIP, "env = gym.wrappers.TransformReward(EpisodicLife(env), np.sign)")),
    good_envs("", ("return SeededResets(with_time_limit(env, discount, time_limit))", "return with_time_limit(env, discount, time_limit)")),
    good_game("", (LIFE, "terminated = terminated or lives < self.lives")),
    good_nature("", (SCALE, " / 255.0")),
    good_nature("", (SCALE, ".sub_(128.0).div_(128.0)")),
    good_envs("", ("def make_env(", "def create_env(")),
]  # fmt: skip
