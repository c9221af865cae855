"""DQN's first blanks: the reference passes, and each known mistake is named, alone."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.hw3.answer_double_q import judge_double_q
from autograder.hw3.answer_dqn_critic import judge_targets
from autograder.hw3.answer_step_env import judge_act, judge_step
from autograder.judge import Judgement
from autograder.probing import Observation
from autograder.regions import fill, find_regions, strip
from autograder.submission import ROOT, Tree
from autograder.worker import run_probe

CRITIC, AGENT = "critics/dqn_critic.py", "agents/dqn_agent.py"
CHECKS: dict[str, tuple[str, str, Callable[[Observation, int], Judgement]]] = {
    "hw3.dqn.targets": (CRITIC, "probe_dqn_critic:probe_update", judge_targets),
    "hw3.dqn.double_q": (CRITIC, "probe_dqn_critic:probe_double_q", judge_double_q),
    "hw3.dqn.act": (AGENT, "probe_step_env:probe_step_env", judge_act),
    "hw3.dqn.step": (AGENT, "probe_step_env:probe_step_env", judge_step),
}
SEEDS = (0, 1, 17)
NEXT = "q_tp1 = self.q_net_target(next_ob_no).max(dim=1).values"
TARGET = "target = reward_n + self.gamma * (1.0 - terminal_n) * q_tp1"
PLAIN = f"""
with torch.no_grad():
    q_tp1 = self.double_q_values(next_ob_no) if self.double_q else None
    if q_tp1 is None:
        {NEXT}
    {TARGET}
"""
DOUBLE = """
next_ac_n = self.q_net(next_ob_no).argmax(dim=1)
qa_tp1_values = self.q_net_target(next_ob_no)
q_tp1 = torch.gather(qa_tp1_values, 1, next_ac_n.unsqueeze(1)).squeeze(1)
"""
ACT = """
self.replay_buffer_idx = self.replay_buffer.store_frame(self.last_obs)
eps = self.exploration.value(self.t)
if np.random.random() < eps or self.t < self.learning_starts:
    action = self.env.action_space.sample()
else:
    action = self.actor.get_action(self.replay_buffer.encode_recent_observation())[0]
"""
STEP = """
self.last_obs, reward, terminated, truncated, _ = self.env.step(action)
self.replay_buffer.store_effect(self.replay_buffer_idx, action, reward, terminated)
if terminated or truncated:
    self.last_obs, _ = self.env.reset()
"""
OLDER_STEP = """
self.last_obs, reward, done, _ = self.env.step(action)
self.replay_buffer.store_effect(self.replay_buffer_idx, action, reward, done)
if done:
    self.last_obs = self.env.reset()
"""
# blank, body, what to change in it -> the mistake, or None where it is right
CASES: list[tuple[str, str, tuple[str, str], str | None]] = [
    ("targets", PLAIN, ("", ""), None),
    ("targets", PLAIN, ("with torch.no_grad():", "if True:"), "target.not_cut"),
    ("targets", PLAIN, (" * (1.0 - terminal_n)", ""), "target.no_mask"),
    ("targets", PLAIN, ("(1.0 - terminal_n)", "terminal_n"), "target.mask_inverted"),
    ("targets", PLAIN, ("self.gamma * ", ""), "target.no_discount"),
    ("targets", PLAIN, ("self.q_net_target(", "self.q_net("), "target.online_net"),
    ("targets", PLAIN, ("max(dim=1).values", "mean(dim=1)"), "target.mean_over_actions"),
    ("targets", PLAIN, ("max(dim=1).values", "argmax(dim=1)"), "target.index_as_value"),
    ("targets", PLAIN, ("reward_n + ", ""), "target.reward_missing"),
    ("targets", PLAIN, ("_target(next_ob_no)", "_target(ob_no)"), "target.present_state"),
    ("targets", PLAIN, ("if self.double_q else None", "if False else None"),
     "target.double_q_ignored"),
    ("double_q", DOUBLE, ("", ""), None),
    ("double_q", DOUBLE, ("self.q_net(next_ob_no)", "self.q_net_target(next_ob_no)"),
     "double_q.target_selects"),
    ("double_q", DOUBLE, ("self.q_net_target(next_ob_no)", "self.q_net(next_ob_no)"),
     "double_q.online_evaluates"),
    ("double_q", DOUBLE, ("argmax(dim=1)", "argmax(dim=1) - 1"), "double_q.shifted"),
    ("act", ACT, ("", ""), None),
    ("act", ACT, ("random() < eps", "random() > eps"), "act.exploration_reversed"),
    ("act", ACT, (" or self.t < self.learning_starts", ""), "act.no_warm_up"),
    ("act", ACT, ("self.replay_buffer.encode_recent_observation()", "self.last_obs"),
     "act.no_history"),
    ("step", STEP, ("", ""), None),
    ("step", OLDER_STEP, ("", ""), None),
    ("step", OLDER_STEP, ("self.last_obs = self", "self.last_obs, _ = self"), "step.five_values"),
    ("step", STEP, ("reward, terminated)", "reward, terminated or truncated)"), "step.cut_is_done"),
    ("step", STEP, ("self.last_obs, _ = self.env.reset()", "self.env.reset()"),
     "step.reset_ignored"),
    ("step", STEP, ("if terminated or truncated", "if terminated"), "step.no_reset_when_cut"),
    ("step", STEP, ("self.last_obs, reward", "obs, reward"), "step.last_obs_kept"),
    ("step", STEP, ("idx, action", "idx + 1, action"), "step.index_shifted"),
    ("step", STEP, ("action, reward,", "action, min(1, reward),"), "step.reward"),
]  # fmt: skip


def judge_all(package: Path, seed: int) -> dict[str, Judgement]:
    tree = Tree(package)
    return {
        blank: judge(run_probe(tree, f"autograder.hw3.{probe}", (owner,), seed).trials, seed)
        for blank, (owner, probe, judge) in CHECKS.items()
    }


def submit(tmp_path: Path, bodies: dict[str, str | None]) -> Path:
    """Writes a submission: DQN's files, solved but for the regions in `bodies`."""
    for file in (CRITIC, AGENT):
        text = (ROOT / "cs285" / file).read_text()
        here = {r.id: r for r in find_regions(text) if r.id in bodies}
        indented = {
            i: None if (body := bodies[i]) is None
            else textwrap.indent(body.strip("\n"), " " * r.indent)
            for i, r in here.items()
        }  # fmt: skip
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(fill(text, indented))
    return tmp_path


@pytest.mark.parametrize("seed", SEEDS)
def test_the_reference_passes(seed: int) -> None:
    assert all(judgement.passed for judgement in judge_all(ROOT / "cs285", seed).values())


@pytest.mark.parametrize(
    ("blank", "body", "change", "mistake"), CASES, ids=[f"{c[0]}-{c[3]}" for c in CASES]
)
def test_a_mistake_is_named_and_costs_only_its_blank(
    tmp_path: Path, blank: str, body: str, change: tuple[str, str], mistake: str | None
) -> None:
    assert change[0] in body
    blank = f"hw3.dqn.{blank}"
    package = submit(tmp_path, {blank: body.replace(*change, 1)})
    judgements = judge_all(package, seed=3)
    assert judgements[blank].mistakes == ([mistake] if mistake else [])
    assert not judgements[blank].unknown
    assert all(j.passed for name, j in judgements.items() if name != blank)


def test_nothing_filled_in(tmp_path: Path) -> None:
    for file in (CRITIC, AGENT):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(strip((ROOT / "cs285" / file).read_text()))
    judgements = judge_all(tmp_path, seed=3)
    assert {name for name, j in judgements.items() if j.blank} >= set(CHECKS) - {"hw3.dqn.step"}
    assert not any(j.passed for j in judgements.values())
