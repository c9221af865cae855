"""Mistakes in, and right changes of, what is given to students: nothing of it is a blank.

Entries of `FAR_REACHING` break something that blanks lean on, so that other checks see it too.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.autograder.corpus import Entry, right, wrong

Maker = Callable[..., Entry]


def changed(path: str, check: str, prefix: str) -> tuple[Maker, Maker]:
    """Returns makers of wrong and right entries for one file and check."""

    def bad(source: str, mistakes: str, *changes: tuple[str, str]) -> Entry:
        ids = [f"{prefix}.{mistake}" for mistake in mistakes.split()]
        return wrong(source, path, ids, *changes, check=f"hw3.given.{check}")

    def good(source: str, *changes: tuple[str, str]) -> Entry:
        return right(source, path, *changes, check=f"hw3.given.{check}")

    return bad, good


INFRA = "infrastructure"
schedule, good_schedule = changed(f"{INFRA}/schedules.py", "schedules", "schedule")
replay, good_replay = changed(f"{INFRA}/replay_buffer.py", "replay", "replay")
wrapper, good_wrapper = changed(f"{INFRA}/atari_wrappers.py", "atari", "atari")
envs, good_envs = changed(f"{INFRA}/envs.py", "atari", "atari")
nature, good_nature = changed(f"{INFRA}/pytorch_util.py", "atari", "atari")
mlp, good_mlp = changed(f"{INFRA}/pytorch_util.py", "networks", "network")
critic, good_critic = changed("critics/dqn_critic.py", "networks", "network")
value, good_value = changed("critics/bootstrapped_continuous_critic.py", "networks", "network")
policy, good_policy = changed("policies/MLP_policy.py", "networks", "network")
ac_agent, good_ac_agent = changed("agents/ac_agent.py", "networks", "network")
dqn_agent, good_dqn_agent = changed("agents/dqn_agent.py", "networks", "network")

LINE = "return v0 + (t - t0) / (t1 - t0) * (v1 - v0)"
END = "return self.values[-1]"
START = "right = bisect_right(self.times, t)"
SCHEDULES = [
    schedule("X01", "reversed", (LINE, "return v0 + (t1 - t) / (t1 - t0) * (v1 - v0)")),
    schedule("X01", "reversed", (LINE, "a = (t1 - t) / (t1 - t0)\n        return v0 + a * (v1 - v0)")),
    schedule("", "reversed", (LINE, "return v1 + (t - t0) / (t1 - t0) * (v0 - v1)")),
    schedule("X02", "at_breakpoint", (START, f"{START}\n        if t in self.times:\n            {END}")),
    schedule("X02", "at_breakpoint", (START, f"{START}\n        if t == self.times[0]:\n            {END}")),
    schedule("X02", "after_end", (END, "return 0.0")),
    schedule("", "after_end", (END, "return self.values[0]")),
    schedule("", "after_end", (END, "return None")),
    schedule("", "runs_on", ("if right == len(self.times):\n            return self.values[-1]",
             "right = min(right, len(self.times) - 1)")),
    schedule("X04", "grows", (LINE, "return v0 - (t - t0) / (t1 - t0) * (v1 - v0)")),
    schedule("X04", "grows", (START, f"return max(self.values[-1], 0.3 / 0.99 ** t)\n        {START}")),
    schedule("X05", "constant", (START, f"return self.values[0]\n        {START}")),
    schedule("X05", "constant", (START, f"return 0.1\n        {START}")),
    schedule("X06", "too_fast", (START, f"t = t * 2\n        {START}")),
    schedule("X06", "too_fast", (START, f"t = 100 * t\n        {START}")),
    schedule("X06", "too_slow", (START, f"t = t // 4\n        {START}")),
    schedule("X06", "counts_calls", ("self.times = [", "self.calls = 0\n        self.times = ["),
             (START, f"t = self.calls = self.calls + 1\n        {START}")),
    schedule("", "counts_calls", (START, f"self.values[0] *= 0.99\n        {START}")),
    schedule("", "steps", (LINE, "return v0")),
    schedule("", "steps", (LINE, "return v0 + (t - t0) // (t1 - t0) * (v1 - v0)")),
    schedule("", "steps", (LINE, "return v1")),
    schedule("", "segment_length", (LINE, "return v0 + t / t1 * (v1 - v0)")),
    schedule("", "segment_length", (LINE, "return v0 + (t - t0) / t1 * (v1 - v0)")),
    schedule("", "curved", (LINE, "return v0 * (v1 / v0) ** ((t - t0) / (t1 - t0))")),
    schedule("", "middle_ignored", ("self.times = [time for time, _ in endpoints]",
             "endpoints = [endpoints[0], endpoints[-1]] if endpoints else []\n"
             "        self.times = [time for time, _ in endpoints]")),
    schedule("", "before_start", ("return self.values[0]", END)),
    schedule("", "parse", ("(float(time), float(value)) for", "(float(value), float(time)) for"),
             ("return cls(endpoints)", "return cls([(t, v / 2) for v, t in endpoints])")),
    schedule("", "reversed after_end", (LINE, "return v0 + (t1 - t) / (t1 - t0) * (v1 - v0)"),
             (END, "return 0.0")),
    good_schedule("", ("import math", "import math  # what I changed: nothing")),
    good_schedule("", (LINE, "return (v0 * (t1 - t) + v1 * (t - t0)) / (t1 - t0)")),
    good_schedule("", ("import math", "import math\n\nimport numpy as np"),
                  (START, f"return np.interp(t, self.times, self.values)\n        {START}")),
    good_schedule("", (START, "right = sum(time < t for time in self.times)")),
    good_schedule("", (START, f"print('epsilon at', t)\n        {START}")),
    good_schedule("", ("    def __init__(self, endpoints: Sequence[tuple[float, float]]) -> None:",
                       "    def __init__(self, endpoints, interpolation=None, outside_value=None):"),
                  (END, "return None")),
    good_schedule("", ("class PiecewiseSchedule", "class LinearSchedule"),
                  ("-> PiecewiseSchedule", "-> LinearSchedule")),
    good_schedule("", ("class PiecewiseSchedule:", "class PiecewiseSchedule")),
]  # fmt: skip

STORE = "idx = self.frames.next\n        self.frames.append(frame)"
RING = "self.ring[self.next % len(self.ring)] = frame"
DONE, HAS = "self.done[slot] = done", "self.has_effect[slot] = True"
DRAW = "idx_n = self._draw(batch_size)\n"
BLANK_N = "blank_n = self.frame_history_len - 1 - self.history[(idx_n - extra) % self.slots]"
NEVER = "blank_n = np.zeros(len(idx_n), int)"
ADVANCE = "idx_n = self.rng.integers(oldest, self.frames.next - 1, batch_size)"
AGAIN = "idx_n[~valid] = self.rng.integers(oldest, self.frames.next - 1, int((~valid).sum()))"
VALID = "while not (valid := self.has_effect[idx_n % self.slots]).all():"
STACK = "self._squeeze(windows[:, :-1]),"
BY_LIST = """
class ListFrames:
    def __init__(self, size, shape, dtype):
        self.frames, self.size = [], size

    @property
    def next(self):
        return len(self.frames)

    @property
    def first(self):
        return max(0, self.next - self.size)

    def append(self, frame):
        self.frames.append(frame)

    def windows(self, idx_n, length):
        return np.stack([
            np.stack([self.frames[max(0, i - length + 1 + k)] for k in range(length)])
            for i in idx_n.tolist()])


class MemoryOptimizedReplayBuffer:
"""
LISTED = ("class MemoryOptimizedReplayBuffer:", BY_LIST)
USE_LIST = (("CompressedFrames(capacity, frame_shape)", "ListFrames(capacity, frame_shape, np.uint8)"),
            ("else RawFrames(capacity", "else ListFrames(capacity"))  # fmt: skip
REPLAY = [
    replay("B01", "done_lost", (DONE, "pass")),
    replay("B01", "done_shifted", (DONE, "self.done[(slot + 1) % self.slots] = done")),
    replay("", "done_inverted", ("self.done[slot_n].astype(np.float32)", "1.0 - self.done[slot_n]")),
    replay("", "cut_is_done", ("self.store_frame(last_frame)\n",
           "self.done[(self.frames.next - 1) % self.slots] = True\n"
           "        self.store_frame(last_frame)\n")),
    replay("B02", "newest_sampled", (ADVANCE, ADVANCE.replace(" - 1, b", ", b")),
           (AGAIN, AGAIN.replace(" - 1, int", ", int"))),
    replay("B02", "newest_sampled cut_frame_sampled", (ADVANCE, ADVANCE.replace(" - 1, b", ", b")),
           (AGAIN, AGAIN.replace(" - 1, int", ", int")),
           ("self.has_effect[slot] = False", "self.has_effect[slot] = not self.path_ended")),
    replay("B04", "stack_crosses_head", ("oldest += self.frame_history_len - 1", "pass"),
           ("if oldest > 0:", "if False:"),
           ("capacity = size + frame_history_len + 1", "capacity = size")),
    replay("B05", "reference", LISTED, *USE_LIST),
    replay("B06", "unwritten",
           (ADVANCE, ADVANCE.replace("self.frames.next - 1", "max(self.next_idx - 1, self.size)")),
           ("self.has_effect = np.zeros", "self.has_effect = np.ones")),
    replay("B06", "cut_frame_sampled", (VALID, "while False:")),
    replay("B07", "glued", ("slot_n = idx_n % self.slots",
                            "slot_n = self._draw(batch_size) % self.slots")),
    replay("B07", "glued", ("self.reward[slot_n],",
                            "self.reward[self._draw(batch_size) % self.slots],")),
    replay("B07", "glued", ("self.action[slot_n],", "np.roll(self.action[slot_n], 1),")),
    replay("B07", "glued", (STACK, "self._squeeze(windows[::-1, :-1]),")),
    replay("B07", "glued", ("self.done[slot_n].astype", "self.done[slot_n][::-1].astype")),
    replay("", "effect_shifted done_shifted", ("slot = idx % self.slots\n        self.action",
           "slot = (idx + 1) % self.slots\n        self.action"),
           (HAS, "self.has_effect[idx % self.slots] = True")),
    replay("B08", "fractions_lost", ("RawFrames(capacity, frame_shape, np.dtype(frame_dtype))",
                                     "RawFrames(capacity, frame_shape, np.dtype(np.uint8))")),
    replay("B08", "fractions_lost", ("self.frames.append(frame)\n",
                                     "self.frames.append(np.asarray(frame).astype(np.int64))\n")),
    replay("B09", "reward_fractions_lost", ("self.reward = np.zeros(self.slots, np.float32)",
                                            "self.reward = np.zeros(self.slots, np.int32)")),
    replay("B09", "reward_fractions_lost", ("self.reward[slot] = reward",
                                            "self.reward[slot] = round(reward)")),
    replay("", "reward_clipped", ("self.reward[slot] = reward", "self.reward[slot] = np.sign(reward)")),
    replay("", "reward_clipped", ("self.reward[slot] = reward",
                                  "self.reward[slot] = np.clip(reward, -1, 1)")),
    replay("", "reward_lost", ("self.reward[slot] = reward", "pass")),
    replay("B10", "same_batch", (DRAW, f"self.rng = np.random.default_rng(0)\n        {DRAW}")),
    replay("B10", "same_batch", (DRAW, f"np.random.seed(1)\n        {DRAW}"),
           (ADVANCE, ADVANCE.replace("self.rng.integers", "np.random.randint")),
           (AGAIN, AGAIN.replace("self.rng.integers", "np.random.randint"))),
    replay("W02", "stack_crosses_episodes", (BLANK_N, NEVER)),
    replay("W02", "stack_crosses_cut", ("self.store_frame(last_frame)\n        self.path_ended = True",
                                        "self.store_frame(last_frame)")),
    replay("", "cut_frame_lost", ("self.store_frame(last_frame)\n        ", "")),
    replay("", "next_is_present", ("self._squeeze(windows[:, 1:])", "self._squeeze(windows[:, :-1])")),
    replay("", "next_blank", ("windows[self.done[slot_n], -1] = 0", "windows[:, -1] = 0")),
    replay("", "next_blank", ("windows[self.done[slot_n], -1] = 0",
                              "windows[~self.done[slot_n], -1] = 0")),
    replay("", "stack_reversed", ("recent: np.ndarray = self._squeeze(", "recent: np.ndarray = self._squeeze("),
           ("return stacks[:, 0] if self.frame_history_len == 1 else stacks",
            "return stacks[:, 0] if self.frame_history_len == 1 else stacks[:, ::-1]")),
    replay("", "stack_axis", ("return stacks[:, 0] if self.frame_history_len == 1 else stacks",
           "return stacks[:, 0] if self.frame_history_len == 1 else np.moveaxis(stacks, 1, -1)")),
    replay("", "stack_short", ("min(earlier, self.frame_history_len - 1)",
                               "min(earlier, max(0, self.frame_history_len - 2))")),
    replay("", "recent_stale", ("idx_n = np.array([self.frames.next - 1])",
                                "idx_n = np.array([max(0, self.frames.next - 2)])")),
    replay("W01", "pixels_scaled", ("return stacks[:, 0] if self.frame_history_len == 1 else stacks",
           "stacks = stacks / 255.0 if stacks.dtype == np.uint8 else stacks\n"
           "        return stacks[:, 0] if self.frame_history_len == 1 else stacks")),
    replay("", "forgets_too_soon", ("capacity = size + frame_history_len + 1",
                                    "capacity = size // 2 + frame_history_len + 1")),
    replay("", "not_uniform", (DRAW, "idx_n = np.maximum(self._draw(batch_size), self._draw(batch_size))\n")),
    replay("", "ends_never_drawn", (VALID, "while not (valid := self.has_effect[idx_n % self.slots]"
                                           " & ~self.done[idx_n % self.slots]).all():")),
    replay("", "can_sample", ("return batch_size + 1 <= self.num_in_buffer", "return True")),
    replay("", "can_sample", ("return batch_size + 1 <= self.num_in_buffer",
                              "return self.num_in_buffer >= self.size")),
    replay("", "reward_clipped done_lost", (DONE, "pass"),
           ("self.reward[slot] = reward", "self.reward[slot] = np.clip(reward, -1, 1)")),
    good_replay("", ("KEY_SAMPLES = 15", "KEY_SAMPLES = 3  # a comment")),
    good_replay("", ("CHUNK_FRAMES = 128", "CHUNK_FRAMES = 32")),
    good_replay("V53", ("self.done[slot_n].astype(np.float32)", "self.done[slot_n].astype(np.int64)")),
    good_replay("V53", ("self.reward[slot_n],", "self.reward[slot_n][:, None],")),
    good_replay("", (ADVANCE, ADVANCE.replace("self.rng.integers", "np.random.randint")),
                (AGAIN, AGAIN.replace("self.rng.integers", "np.random.randint"))),
    good_replay("", ("np.zeros(self.slots, np.float32)", "np.zeros(self.slots, np.float64)")),
    good_replay("", ("windows[self.done[slot_n], -1] = 0", "pass")),
    good_replay("", LISTED, *USE_LIST, ("self.frames.append(frame)\n\n    def windows(self, idx_n, length)",
                "self.frames.append(np.array(frame))\n\n    def windows(self, idx_n, length)")),
    good_replay("", ("frame_dtype: Any,\n        seed: int,\n", "frame_dtype: Any,\n        seed: int = 0,\n        lander: bool = False,\n")),
    good_replay("", ("frame_shape: tuple[int, ...],\n        frame_dtype: Any,\n        seed: int,\n", "lander: bool = False,\n")),
]  # fmt: skip

PREPROCESS = "AtariPreprocessing(env, noop_max=30, frame_skip=4, screen_size=84)"
MONITOR = "    env = RecordEpisodeStatistics(env, buffer_length=100)\n"
LIMIT = "    if ep_len is not None:\n        env = TimeLimit(env, ep_len)\n"
CLIP = "env = ClipReward(EpisodicLife(env), -1.0, 1.0)"
TERMINAL = "return obs, reward, terminated or truncated, truncated, info"
GO_ON = "if self.game_over or seed is not None:"
LIFE = "terminated = terminated or 0 < lives < self.lives"
PRESS = "obs, reward, terminated, truncated, info = self.env.step(1)"
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


def dqn_preset('''
SCALE = ".div_(255.0)"
ATARI = [
    envs("W01", "scaled_twice", (PREPROCESS, PREPROCESS.replace("84)", "84, scale_obs=True)"))),
    nature("W01", "not_scaled", (SCALE, "")),
    nature("W01", "scaled_twice", (SCALE, ".div_(255.0).div_(255.0)")),
    nature("W01", "scaled_twice", ("self.layers(pixels)", "self.layers(pixels / 255)")),
    nature("W01", "not_scaled", (SCALE, ".mul_(255.0)")),
    envs("W04", "reward_one_frame", ("def dqn_preset(", SKIP_CLASS), (PREPROCESS, LAST_REWARD)),
    envs("", "frame_skip", (PREPROCESS, PREPROCESS.replace("skip=4", "skip=1"))),
    envs("", "frame_skip", (PREPROCESS, PREPROCESS.replace("skip=4", "skip=16"))),
    envs("", "frame_shape", (PREPROCESS, PREPROCESS.replace("size=84", "size=42"))),
    envs("", "frame_shape", (PREPROCESS, PREPROCESS.replace("84)", "84, grayscale_newaxis=True)"))),
    wrapper("W05", "life_resets_game", (GO_ON, "if True:")),
    wrapper("W05", "no_new_game", (GO_ON, "if seed is not None:"),
            ("            if terminated or truncated:\n                obs, info = self.env.reset(options=options)\n", "")),
    envs("W05", "life_resets_game", (CLIP, "env = ClipReward(env, -1.0, 1.0)"),
         (PREPROCESS, PREPROCESS.replace("84)", "84, terminal_on_life_loss=training)"))),
    envs("W05", "score_per_life", ("if training:\n            env = ClipReward(EpisodicLife(env), -1.0, 1.0)",
         "env = EpisodicLife(env)\n        if training:\n            env = ClipReward(env, -1.0, 1.0)")),
    wrapper("W05", "lives_ignored", (LIFE, "pass")),
    wrapper("W05", "lives_ignored", ("        self.lives = lives\n        return obs", "        return obs"),
            ("        self.lives = info[\"lives\"]\n        self.game_over = False", "        self.game_over = False")),
    wrapper("", "end_lost", (LIFE, "terminated = 0 < lives < self.lives")),
    wrapper("", "no_fire", ("if not lost_life or terminated or truncated:", "if True:")),
    wrapper("", "no_fire", ("obs, _, _, _, info = self.env.step(1)", "obs, _, _, _, info = self.env.step(0)")),
    envs("", "no_fire", ('if "FIRE" in env', 'if "PRESS" in env')),
    wrapper("", "reward_at_lost_life", ("float(result[1]) + float(reward)", "float(reward)")),
    envs("W06", "score_clipped", (MONITOR, f"{MONITOR.rstrip()[4:]}".join(["    if is_atari(env):\n        env = ClipReward(env, -1.0, 1.0)\n    ", "\n"])),
         (CLIP, "env = EpisodicLife(env)")),
    envs("W06", "score_clipped", (CLIP, "env = EpisodicLife(env)\n        env = ClipReward(env, -1.0, 1.0)")),
    envs("", "not_clipped", (CLIP, "env = EpisodicLife(env)")),
    envs("", "clipped_per_frame score_clipped", (PREPROCESS, PREPROCESS.replace("(env,", "(ClipReward(env, -1.0, 1.0),")),
         (CLIP, "env = EpisodicLife(env)")),
    envs("W07", "limit_lost", (TERMINAL, "return obs, reward, terminated, False, info"),
         ('if time_limit == "terminal" or', 'if time_limit != "never" or')),
    envs("W07", "cut_is_end", ('if time_limit == "terminal" or', 'if time_limit != "never" or')),
    envs("W07", "limit_is_no_end", (TERMINAL, "return obs, reward, terminated, truncated, info")),
    envs("W07", "limit_above_monitor", (LIMIT, ""), (MONITOR, MONITOR + LIMIT)),
    envs("W07", "limit_lost", (LIMIT, "")),
    envs("W07", "limit_steps", ("TimeLimit(env, ep_len)", "TimeLimit(env, ep_len // 2)")),
    envs("W07", "limit_steps", ("TimeLimit(env, ep_len)", "TimeLimit(env, ep_len + 2)")),
    envs("", "cut_frame", ("if truncated and not terminated else None", "if terminated or truncated else None")),
    envs("", "cut_frame", ("if truncated and not terminated else None", "if terminated else None")),
    envs("", "cut_frame_changes", ("self.cut_frame = np.array(obs) if", "self.cut_frame = obs if")),
    envs("", "same_start", ("        self.episode += 1\n", "")),
    good_envs("", ('"learning_starts": 50_000', '"learning_starts": 20_000')),
    good_envs("", (PREPROCESS, PREPROCESS.replace("noop_max=30", "noop_max=10"))),
    good_envs("", (CLIP, "env = EpisodicLife(env)\n            env = ClipReward(env, min_reward=-1.0, max_reward=1.0)")),
    good_envs("", (CLIP, "env = gym.wrappers.TransformReward(EpisodicLife(env), np.sign)")),
    good_envs("", ("return env if is_atari(env) else SeededResets(env)", "return env")),
    good_wrapper("", (LIFE, "terminated = terminated or lives < self.lives")),
    good_nature("", (SCALE, " / 255.0")),
    good_nature("", (SCALE, ".sub_(128.0).div_(128.0)")),
    good_envs("", ("def make_env(", "def create_env("), ("# Ids of old", "# ids of old")),
]  # fmt: skip

BUILD = "self.critic_network = ptu.build_mlp(self.ob_dim, 1, self.n_layers, self.size)"
VALUE_OPTIMIZER = "ptu.LeanAdam(self.critic_network.parameters(), self.learning_rate)"
SQUEEZE = "self.critic_network(obs).squeeze(1)"
NETWORK = "network = ptu.build_mlp(ob_dim, ac_dim, n_layers, size)"
POLICY_OPTIMIZER = "self.optimizer = ptu.LeanAdam(self.parameters(), learning_rate)"
HIDDEN = "layers += [nn.Linear(input_size, size), ACTIVATIONS[activation]()]"
LAST = "layers += [nn.Linear(input_size, output_size), ACTIVATIONS[output_activation]()]"
MADE = "return LeanSequential(*layers).to(device)"
IN_LIST = """class Hidden(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.hidden = layers[:-2]
        self.last = nn.Sequential(*layers[-2:])

    def forward(self, inputs):
        for layer in self.hidden:
            inputs = layer(inputs)
        return self.last(inputs)


def build_mlp("""
TARGET = 'self.q_net_target: nn.Module = hparams["q_func"](self.ob_dim, self.ac_dim)'
EQUAL = "        self.q_net_target.load_state_dict(self.q_net.state_dict())\n\n        self.weights"
SYNC = "self.q_net_target.load_state_dict(self.q_net.state_dict())\n\n    def qa_values"
WEIGHTS = "self.weights = list(self.q_net.parameters())"
QA = "return ptu.to_numpy(self.q_net(ptu.observations_from_numpy(obs)))"


def sync(body: str) -> tuple[str, str]:
    """Replaces what `update_target_network` does."""
    return SYNC, f"{body}\n\n    def qa_values"


def copying(left: str, right: str, how: str) -> str:
    """Copies parameter by parameter, from `right` to `left`."""
    pairs = f"zip(self.{left}.parameters(), self.{right}.parameters())"
    return f"for to, by in {pairs}:\n            to.data{how}"


NETWORKS = [
    mlp("U05", "layers_unregistered", ("def build_mlp(", IN_LIST), (MADE, "return Hidden(layers).to(device)")),
    mlp("U05", "layers_unregistered", ("def build_mlp(", IN_LIST.replace("nn.Sequential(*layers[-2:])", "nn.Sequential(*layers[-4:])").replace("[:-2]", "[:-4]")),
        (MADE, "return Hidden(layers).to(device)")),
    value("U06", "output_activation", (BUILD, BUILD.replace("size)", 'size, output_activation="tanh")'))),
    value("U06", "output_activation", (SQUEEZE, "torch.relu(self.critic_network(obs)).squeeze(1)")),
    value("U06", "output_activation", (SQUEEZE, "torch.nn.functional.softplus(self.critic_network(obs)).squeeze(1)")),
    policy("U06", "output_activation", (NETWORK, NETWORK.replace("size)", 'size, output_activation="tanh")'))),
    policy("U06", "output_activation", ("self.logits_na = network", "self.logits_na = nn.Sequential(network, nn.Softmax(dim=-1))")),
    mlp("U06", "output_activation", (LAST, LAST.replace("output_activation]", "activation]"))),
    mlp("", "hidden_activation", (HIDDEN, HIDDEN.replace("ACTIVATIONS[activation]", "nn.Tanh"))),
    mlp("", "hidden_activation", (HIDDEN, HIDDEN.replace("ACTIVATIONS[activation]", "nn.Sigmoid"))),
    mlp("", "linear", (HIDDEN, "layers += [nn.Linear(input_size, size)]")),
    mlp("", "depth", ("for _ in range(n_layers):", "for _ in range(n_layers - 1):")),
    mlp("", "depth", ("for _ in range(n_layers):", "for _ in range(n_layers + 1):")),
    mlp("", "width", ("nn.Linear(input_size, size)", "nn.Linear(input_size, 64)"), ("input_size = size", "input_size = 64")),
    value("", "depth", (BUILD, BUILD.replace("self.n_layers", "2"))),
    value("", "width", (BUILD, BUILD.replace("self.size", "64"))),
    value("", "width value_shape", (BUILD, BUILD.replace(", 1,", ", self.ac_dim,"))),
    policy("", "depth", (NETWORK, NETWORK.replace("n_layers", "n_layers - 1"))),
    policy("", "width", (NETWORK, NETWORK.replace("n_layers, size", "n_layers, 32"))),
    ac_agent("", "agent_sizes", ('            agent_params["size"],\n', "            64,\n")),
    value("U04", "optimizer_holds_other", (f"self.optimizer = {VALUE_OPTIMIZER}", f"self.optimizer = {VALUE_OPTIMIZER}\n        {BUILD}")),
    policy("U04", "optimizer_holds_other", (POLICY_OPTIMIZER, f"{POLICY_OPTIMIZER}\n        self.logits_na = ptu.build_mlp(ob_dim, ac_dim, n_layers, size) if discrete else None\n        self.mean_net = None if discrete else ptu.build_mlp(ob_dim, ac_dim, n_layers, size)")),
    value("U04", "optimizer_misses", (VALUE_OPTIMIZER, VALUE_OPTIMIZER.replace("network.", "network[-2].").replace("network[-2]", "network[2]"))),
    value("U03", "parameters_used_up", (f"self.optimizer = {VALUE_OPTIMIZER}",
          "weights = self.critic_network.parameters()\n        print(sum(w.numel() for w in weights))\n        self.optimizer = ptu.LeanAdam(weights, self.learning_rate)")),
    policy("U03", "parameters_used_up", (POLICY_OPTIMIZER, "weights = self.parameters()\n        self.size_of_all = len(list(weights))\n        self.optimizer = ptu.LeanAdam(weights, learning_rate)")),
    value("", "learning_rate", (VALUE_OPTIMIZER, "torch.optim.Adam(self.critic_network.parameters())")),
    policy("", "learning_rate", (POLICY_OPTIMIZER, POLICY_OPTIMIZER.replace("learning_rate", "1e-4"))),
    policy("", "logstd_not_trained", (POLICY_OPTIMIZER, POLICY_OPTIMIZER.replace("self.parameters", "network.parameters"))),
    policy("", "logstd_not_trained", ("nn.Parameter(torch.zeros(ac_dim, device=ptu.device))", "torch.zeros(ac_dim, device=ptu.device)")),
    value("", "value_shape", (".squeeze(1)", "")),
    value("", "value_shape", ("return ptu.to_numpy(self(ptu.from_numpy(obs)))", "return ptu.to_numpy(self(ptu.from_numpy(obs)))[:, None]")),
    value("", "no_gradient", ("    def forward(self", "    @torch.no_grad()\n    def forward(self")),
    value("", "not_an_array", ("return ptu.to_numpy(self(ptu.from_numpy(obs)))", "return self(ptu.from_numpy(obs))")),
    value("U11", "mode_left", ("        with torch.no_grad():\n            return ptu", "        self.eval()\n        with torch.no_grad():\n            return ptu")),
    value("U08", "gradient_left_off", ("        with torch.no_grad():\n            return ptu", "        torch.set_grad_enabled(False)\n        if True:\n            return ptu")),
    critic("U11", "mode_left", ("        with torch.no_grad():\n            return ptu", "        self.q_net.eval()\n        with torch.no_grad():\n            return ptu")),
    critic("", "qa_of_target", (QA, QA.replace("q_net(", "q_net_target("))),
    critic("", "not_an_array", (QA, "return self.q_net(ptu.observations_from_numpy(obs))")),
    critic("Q47", "buffers_not_copied", sync(copying("q_net_target", "q_net", ".copy_(by.data)"))),
    critic("", "no_sync", sync("pass")),
    critic("", "no_sync", sync("self.q_net_target.state_dict().update(self.q_net.state_dict())")),
    critic("", "sync_reversed", sync("self.q_net.load_state_dict(self.q_net_target.state_dict())")),
    critic("", "sync_reversed", sync(copying("q_net", "q_net_target", ".copy_(by.data)"))),
    critic("", "sync_partial", sync(copying("q_net_target", "q_net", ".lerp_(by.data, 0.005)"))),
    critic("Q48", "sync_shares", sync("self.q_net_target = self.q_net")),
    critic("Q48", "sync_shares buffers_not_copied", sync(copying("q_net_target", "q_net", " = by.data"))),
    critic("Q48", "target_shared", (TARGET, f"{TARGET}\n        if isinstance(self.q_net, nn.Sequential):\n            self.q_net_target[0] = self.q_net[0]")),
    critic("Q48", "differ_at_start", (EQUAL, "        self.weights")),
    critic("U04", "optimizer_holds_other", ("self.loss = nn.SmoothL1Loss()", 'self.q_net = hparams["q_func"](self.ob_dim, self.ac_dim)\n        self.q_net.load_state_dict(self.q_net_target.state_dict())\n        self.loss = nn.SmoothL1Loss()')),
    critic("U03", "clips_nothing", (WEIGHTS, "self.weights = self.q_net.parameters()")),
    critic("U03", "parameters_used_up", (WEIGHTS, "self.weights = self.q_net.parameters()\n        print(len(list(self.weights)))")),
    critic("", "target_in_optimizer", (WEIGHTS, "self.weights = [*self.q_net.parameters(), *self.q_net_target.parameters()]")),
    critic("", "optimizer_misses", (WEIGHTS, "self.weights = list(self.q_net.parameters())[:1]")),
    dqn_agent("", "learns_too_early", ("            self.t >= self.learning_starts\n            and ", "            ")),
    dqn_agent("", "learns_from_too_few", ("            and self.replay_buffer.can_sample(self.batch_size)\n", "")),
    dqn_agent("", "learning_freq", ("and self.t % self.learning_freq == 0", "and self.t % self.learning_freq")),
    dqn_agent("", "learning_freq", ("            and self.t % self.learning_freq == 0\n", "")),
    value("", "output_activation learning_rate", (BUILD, BUILD.replace("size)", 'size, output_activation="tanh")')), (VALUE_OPTIMIZER, "torch.optim.Adam(self.critic_network.parameters())")),
    good_mlp("", (HIDDEN, "linear = nn.Linear(input_size, size)\n        layers.append(linear)\n        layers.append(ACTIVATIONS[activation]())")),
    good_mlp("", (MADE, "return nn.Sequential(*layers).to(device)")),
    good_mlp("", (HIDDEN, HIDDEN.replace("nn.Linear(input_size, size)", "nn.Sequential(nn.Linear(input_size, size))"))),
    good_mlp("", ("def build_mlp(", IN_LIST.replace("self.hidden = layers[:-2]", "self.hidden = nn.ModuleList(layers[:-2])")), (MADE, "return Hidden(layers).to(device)")),
    good_value("", (VALUE_OPTIMIZER, "torch.optim.Adam(self.parameters(), lr=self.learning_rate)")),
    good_value("", (VALUE_OPTIMIZER, "torch.optim.Adam(self.parameters(), lr=self.learning_rate, eps=1e-5)"), ("nn.MSELoss()", "nn.SmoothL1Loss()")),
    good_value("", (SQUEEZE, "self.critic_network(obs).reshape(-1)")),
    good_value("", (BUILD, BUILD.replace("size)", 'size, activation="relu")'))),
    good_value("U11", ("        with torch.no_grad():\n            return ptu", "        self.eval()\n        self.train()\n        with torch.no_grad():\n            return ptu")),
    good_policy("", (POLICY_OPTIMIZER, "self.optimizer = torch.optim.Adam([*network.parameters()] + ([] if discrete else [self.logstd]), learning_rate)")),
    good_policy("", ("torch.zeros(ac_dim, device", "torch.full((ac_dim,), -0.5, device")),
    good_policy("", ("self.logits_na = network", "self.logits_na = nn.Sequential(network, nn.LogSoftmax(dim=-1))")),
    good_critic("V34", sync("import copy\n        self.q_net_target = copy.deepcopy(self.q_net)")),
    good_critic("V34", sync("self.q_net_target.load_state_dict(self.q_net.state_dict())\n        self.q_net_target.eval()")),
    good_critic("", sync(copying("q_net_target", "q_net", ".copy_(by.data)") + "\n        for to, by in zip(self.q_net_target.buffers(), self.q_net.buffers()):\n            to.copy_(by)")),
    good_critic("V37", ("ptu.clip_grad_value_(self.weights, self.grad_norm_clipping)", "utils.clip_grad_norm_(self.weights, self.grad_norm_clipping)")),
    good_critic("", ("self.q_net_target.load_state_dict(self.q_net.state_dict())\n\n        self.weights", "self.update_target_network()\n\n        self.weights")),
    good_dqn_agent("", ("self.t >= self.learning_starts", "self.t > self.learning_starts")),
]  # fmt: skip
ENTRIES = [*SCHEDULES, *REPLAY, *ATARI, *NETWORKS]
FAR_REACHING: list[Entry] = []
