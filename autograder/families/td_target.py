"""One-step targets: reward + discount * (1 - end) * value of the next state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from autograder.core.question import Site, Way, site, wrong
from autograder.mistakes import Mistake
from autograder.recording import nothing, secret

BELLMAN = "Mnih et al. 2015, algorithm 1; docs/hw3.md, From Q-learning to DQN"
CLIPPED = "docs/hw3.md, Settings"
SHAPES = "NumPy documentation, Broadcasting; docs/hw3.md, Glossary"
ARRAYS = (  # what PyTorch says -> what NumPy says
    (r"(\w+)\.sign\(\)", r"np.sign(\1)"),
    (r"\.clamp\(", ".clip("),
    (r"\.(long|trunc)\(\)", ".astype(int)"),
    (r"\.float\(\)", ".astype(float)"),
)


@secret(nothing)
def td_sites(
    name: str, reward: str, gamma: str, end: str, value: str, checked: bool = True
) -> Sequence[Site]:
    """Returns the sites of `reward + gamma * (1.0 - end) * value`, which stands so in a solution.

    Args:
        name: What the ids of the mistakes begin with.
        reward: The code of the reward, and so on.
        gamma: Of the discount.
        end: Of the flag of an episode's end, a number.
        value: Of the next state's value.
        checked: Whether given code refuses targets of another shape; else they broadcast.
    """
    return [
        *(column_sites(name, reward, gamma, end, value) if checked else ()),
        *shape_sites(name, reward, gamma, end, value),
        *reward_sites(name, reward, gamma, end),
        *future_sites(name, gamma, end),
    ]


@secret(nothing)
def for_arrays(sites: Sequence[Site], names: Mapping[str, str]) -> list[Site]:
    """Returns the sites for NumPy's arrays; `names`: the ends of ids that are others there."""

    def rewritten(way: Way) -> Way:
        text = way.text
        for pattern, new in ARRAYS:
            text = re.sub(pattern, new, text)
        stem, dot, end = (way.mistake or "").partition(".")
        return replace(way, text=text, mistake=f"{stem}{dot}{names.get(end, end)}" or None)

    return [replace(site, ways=tuple(map(rewritten, site.ways))) for site in sites]


@secret(nothing)
def column_sites(name: str, reward: str, gamma: str, end: str, value: str) -> Sequence[Site]:
    """Returns the ways to another shape, and what no other can be told from it by."""
    whole = f"{reward} + {gamma} * (1.0 - {end}) * {value}"
    return [
        site(
            whole,
            wrong(
                f"{name}.shape",
                Mistake(
                    "The targets have a shape of their own.",
                    "There should be one target for each transition, in a tensor of one axis.",
                    SHAPES,
                ),
                f"({whole}).unsqueeze(1)",
                f"({whole}).unsqueeze(0)",
                alone=True,
            ),
            wrong(
                f"{name}.mean_of_batch",
                Mistake(
                    "Every transition has the same target: the mean of the batch.",
                    "Each has its own; only losses are averaged over a batch.",
                    BELLMAN,
                ),
                f"({whole}).mean().expand_as({reward})",
                alone=True,
            ),
        )
    ]


@secret(nothing)
def shape_sites(name: str, reward: str, gamma: str, end: str, value: str) -> Sequence[Site]:
    """Returns what may be done to the whole sum."""
    whole = f"{reward} + {gamma} * (1.0 - {end}) * {value}"
    return [
        site(
            whole,
            wrong(
                f"{name}.clipped",
                Mistake(
                    "The targets are clipped.",
                    "Values that lie beyond the bounds can then never be learned. Gradients have a "
                    "bound of their own, and rewards where it is wanted.",
                    BELLMAN,
                ),
                f"({whole}).clamp(-1, 1)",
                f"({whole}).clamp(-10, 10)",
                alone=True,
            ),
            wrong(
                f"{name}.negative_cut",
                Mistake(
                    "Targets below zero are lost.",
                    "Values may be negative: where rewards are, they must be.",
                    BELLMAN,
                ),
                f"({whole}).clamp(min=0)",
                f"abs({whole})",
                alone=True,
            ),
            wrong(
                f"{name}.rounded",
                Mistake(
                    "The targets are rounded to whole numbers.",
                    "What is smaller than one then never counts.",
                    BELLMAN,
                ),
                f"({whole}).round()",
                f"({whole}).trunc()",
                alone=True,
            ),
            wrong(
                f"{name}.mask_precedence",
                Mistake(
                    "The mask does not multiply what it should: an order of operations.",
                    "A product is computed before a difference. Read that line aloud, or insert "
                    "small numbers.",
                    "Python reference, Operator precedence",
                ),
                f"{reward} + {gamma} * ({value} * 1 - {end})",
                f"{reward} + {gamma} * {value} * 1 - {end}",
                f"{reward} + {gamma} * 1 - {end} * {value}",
                f"{reward} + {gamma} * (1 - {end} * {value})",
                alone=True,
            ),
        ),
        site(
            f"{reward} +",
            wrong(
                f"{name}.broadcast",
                Mistake(
                    "A column met a row: every prediction is compared with every target.",
                    "Shapes (n, 1) and (n,) broadcast to (n, n). All predictions are then pulled "
                    "towards the mean of the batch's targets.",
                    SHAPES,
                ),
                f"{reward}[:, None] +",
            ),
        ),
    ]


@secret(nothing)
def reward_sites(name: str, reward: str, gamma: str, end: str) -> Sequence[Site]:
    """Returns what may be done to the reward."""
    return [
        site(
            f"{reward} +",
            wrong(
                f"{name}.reward_missing",
                Mistake(
                    "The reward is missing from the target.",
                    "Then nothing of what the environment pays ever reaches the values.",
                    BELLMAN,
                ),
                f"0 * {reward} +",
            ),
            wrong(
                f"{name}.reward_discounted",
                Mistake(
                    "The immediate reward is discounted too.",
                    "It is paid now; only what follows lies in the future. All values shrink by a "
                    "factor.",
                    BELLMAN,
                ),
                f"{gamma} * {reward} +",
            ),
            wrong(
                f"{name}.reward_masked",
                Mistake(
                    "The reward of an episode's last step is lost.",
                    "The mask removes what comes after the end; the last reward itself was earned. "
                    "Games that pay at the end can then not be learned.",
                    BELLMAN,
                ),
                f"{reward} * (1.0 - {end}) +",
            ),
            wrong(
                f"{name}.reward_sign_at_end",
                Mistake(
                    "The last reward of an episode changes its sign.",
                    "The target must hold the reward that the environment paid.",
                    BELLMAN,
                ),
                f"(1.0 - 2.0 * {end}) * {reward} +",
                alone=True,
            ),
            wrong(
                f"{name}.reward_sign",
                Mistake(
                    "The reward enters with a minus sign.",
                    "The agent learns to collect as little as it can.",
                    BELLMAN,
                ),
                f"-{reward} +",
            ),
            wrong(
                f"{name}.reward_clipped",
                Mistake(
                    "The rewards are clipped in the target.",
                    "Where rewards are to be clipped a wrapper does it; here the sizes of rewards "
                    "get lost.",
                    CLIPPED,
                ),
                f"{reward}.sign() +",
                f"{reward}.clamp(-1, 1) +",
                f"{reward}.clamp(-10, 10) +",
            ),
            wrong(
                f"{name}.reward_cut",
                Mistake(
                    "Rewards of one sign are lost, or change theirs.",
                    "What is paid may be positive or negative, and counts as it is.",
                    BELLMAN,
                ),
                f"abs({reward}) +",
                f"{reward}.clamp(min=0) +",
                alone=True,
            ),
            wrong(
                f"{name}.reward_rounded",
                Mistake(
                    "The rewards are rounded to whole numbers.",
                    "A reward is any number; what lies between whole ones is lost here.",
                    BELLMAN,
                ),
                f"{reward}.round() +",
                f"{reward}.long() +",
                alone=True,
            ),
        ),
    ]


@secret(nothing)
def future_sites(name: str, gamma: str, end: str) -> Sequence[Site]:
    """Returns what may be done to the future's part: its sign, discount and mask."""
    return [
        site(
            f"+ {gamma} *",
            wrong(
                f"{name}.minus",
                Mistake(
                    "The future's value is subtracted.",
                    "Your target falls when the next state gets better: the agent learns to avoid "
                    "good states.",
                    BELLMAN,
                ),
                f"- {gamma} *",
            ),
        ),
        site(
            f"{gamma} * (1",
            wrong(
                f"{name}.no_discount",
                Mistake(
                    "The future is not discounted.",
                    "A reward far ahead counts like one now; with endless episodes the values have "
                    "no limit.",
                    BELLMAN,
                ),
                "1.0 * (1",
            ),
            wrong(
                f"{name}.discount_twice",
                Mistake(
                    "The future is discounted twice.",
                    "One step ahead is worth one factor of the discount; the agent becomes "
                    "short-sighted.",
                    BELLMAN,
                ),
                f"{gamma} ** 2 * (1",
            ),
            wrong(
                f"{name}.no_future",
                Mistake(
                    "The future does not count at all.",
                    "Your target is the reward alone, so the agent learns nothing that pays off "
                    "later.",
                    BELLMAN,
                ),
                "0.0 * (1",
            ),
        ),
        site(f"(1.0 - {end}) *", *mask_ways(name, end)),
    ]


@secret(nothing)
def mask_ways(name: str, end: str) -> Sequence[Sequence[Way]]:
    """Returns what may stand for the mask of ended episodes."""
    return [
        wrong(
            f"{name}.no_mask",
            Mistake(
                "A future is counted after the episode has ended.",
                "Where an episode ended, your target is not what it should be; elsewhere it is "
                "right. Values then grow without bound, or towards a wrong level.",
                BELLMAN,
            ),
            "1.0 *",
        ),
        wrong(
            f"{name}.mask_inverted",
            Mistake(
                "The mask of ended episodes is the wrong way round.",
                "A future is counted exactly where there is none, and nowhere else.",
                BELLMAN,
            ),
            f"{end} *",
        ),
        wrong(
            f"{name}.mask_doubled",
            Mistake(
                "The mask is 2 and 1 where it should be 1 and 0.",
                "Transitions that ended an episode still carry a future, and all others carry it "
                "twice.",
                BELLMAN,
            ),
            f"(2.0 - {end}) *",
        ),
        wrong(
            f"{name}.mask_not_one_minus",
            Mistake(
                "Bitwise 'not' was used for 'one minus'.",
                "The two agree for booleans only: on whole numbers it gives -1 and -2, and on "
                "floats it is an error.",
                "PyTorch documentation, torch.bitwise_not",
            ),
            f"(~{end}.long()).float() *",
            f"~{end} *",
        ),
        wrong(
            f"{name}.mask_of_whole_batch",
            Mistake(
                "A whole batch was turned into one true or false.",
                "Each transition has its own flag: the mask has one entry for each of them.",
                SHAPES,
            ),
            f"int(not {end}) *",
            f"(1.0 - {end}.any().float()) *",
            f"(1.0 - {end}.all().float()) *",
            alone=True,
        ),
        wrong(
            f"{name}.mask_sign",
            Mistake(
                "Where an episode ended, the future counts with a minus sign.",
                "After the end there is none: it counts nothing.",
                BELLMAN,
            ),
            f"(1.0 - 2.0 * {end}) *",
            alone=True,
        ),
    ]
