"""Thirty bodies of DQN's targets: right and wrong, usual and not, with and without side effects.

Each is what a student may write between the marks of `hw3.dqn.targets`, or in place of the whole
step. Beside it stands how it must be called: compiled, or plain with what its line must contain.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

from cs285.critics import dqn_critic
from cs285.critics.dqn_critic import DQNCritic


class Spelling(NamedTuple):
    body: str
    plain: str = ""
    """What the line says if it stays plain, or becomes so; empty: it is compiled."""


Q = "self.q_net_target(next_ob_no)"
MAX = f"{Q}.max(dim=1).values"
Y = "target = reward_n + self.gamma * (1.0 - terminal_n) * q\n"
NO_GRAD = "with torch.no_grad():\n"


def in_no_grad(*lines: str) -> str:
    return NO_GRAD + "".join(textwrap.indent(line.rstrip() + "\n", "    ") for line in lines)


SPELLINGS = {
    "as given": Spelling(in_no_grad(f"q = {MAX}", Y)),
    "detached": Spelling(f"q = {MAX}\n{Y}target = target.detach()\n"),
    "where": Spelling(
        in_no_grad(
            f"q = torch.amax({Q}, 1)",
            "target = torch.where(terminal_n > 0.5, reward_n, reward_n + self.gamma * q)",
        )
    ),
    "a loop over the batch": Spelling(
        "target = torch.zeros_like(reward_n)\n"
        + in_no_grad(
            f"q = {Q}",
            "for i in range(len(reward_n)):\n"
            "    target[i] = reward_n[i] + self.gamma * (1.0 - terminal_n[i]) * q[i].max()",
        )
    ),
    "a branch on a tensor": Spelling(
        "target = reward_n.clone()\n"
        + in_no_grad(
            f"q = {Q}",
            "for i in range(len(reward_n)):\n"
            "    if terminal_n[i] == 0:\n"
            "        target[i] += self.gamma * q[i].max()",
        ),
        "a branch depends on a number in a tensor (",
    ),
    "in place": Spelling(
        in_no_grad(
            f"target = {Q}.max(dim=1)[0]",
            "target.mul_(1.0 - terminal_n).mul_(self.gamma).add_(reward_n)",
        )
    ),
    "in place of the batch": Spelling(
        in_no_grad(f"q = {MAX}", "reward_n += self.gamma * (1.0 - terminal_n) * q")
        + "target = reward_n\n"
    ),
    "by way of NumPy": Spelling(
        f"q = {Q}.detach().numpy().max(axis=1)\n"
        "ends = terminal_n.numpy()\n"
        "target = torch.from_numpy(reward_n.numpy() + self.gamma * (1 - ends) * q).float()\n"
    ),
    "by way of ptu": Spelling(
        f"q = ptu.to_numpy({Q}).max(axis=1)\n"
        "ends = ptu.to_numpy(terminal_n)\n"
        "target = ptu.from_numpy(ptu.to_numpy(reward_n) + self.gamma * (1 - ends) * q)\n",
        "ndarray attribute",
    ),
    "item in a list": Spelling(
        in_no_grad(f"q = torch.tensor([row.max().item() for row in {Q}])", Y)
    ),
    "a dict of tensors": Spelling(
        "values = {}\n"
        + in_no_grad(f"values['q'] = {MAX}", "q = values['q']", Y, "values['y'] = target")
        + "target = values['y']\n"
    ),
    "a list comprehension": Spelling(
        in_no_grad(
            f"rows = zip(reward_n, terminal_n, {Q})",
            "target = torch.stack([r + self.gamma * (1 - d) * q.max() for r, d, q in rows])",
        )
    ),
    "one-hot": Spelling(
        in_no_grad(
            f"q = {Q}",
            "best = torch.zeros_like(q).scatter(1, q.argmax(dim=1, keepdim=True), 1.0)",
            "q = (best * q).sum(1)",
            Y,
        )
    ),
    "a mask of booleans": Spelling(
        in_no_grad(
            "target = reward_n.clone()",
            "on = terminal_n == 0",
            f"target[on] += self.gamma * {Q.replace('next_ob_no', 'next_ob_no[on]')}"
            ".max(dim=1).values",
        )
    ),
    "a function of one's own": Spelling(
        "def best(q, how=torch.amax):\n    return how(q, 1)\n" + in_no_grad(f"q = best({Q})", Y)
    ),
    "random noise of torch": Spelling(
        in_no_grad(f"q = {MAX}", "q = q + 0.1 * torch.randn_like(q)", Y)
    ),
    "it prints": Spelling(in_no_grad(f"q = {MAX}", "print('shape', q.shape)", Y), "it prints ("),
    "it prints a value": Spelling(
        in_no_grad(f"q = {MAX}", "print('mean', q.mean())", Y), "it prints ("
    ),
    "an assertion on values": Spelling(
        in_no_grad(f"q = {MAX}", "assert not torch.isnan(q).any()", Y), "depends on a number"
    ),
    "random noise of NumPy": Spelling(
        "import numpy as np\n"
        + in_no_grad(f"q = {MAX} + 0.1 * float(np.random.default_rng(3).normal())", Y),
        "(",
    ),
    "it counts": Spelling(
        "self.count = getattr(self, 'count', 0) + 1\n" + in_no_grad(f"q = {MAX}", Y),
        "it was: self.count",
    ),
    "a discount that a counter changes": Spelling(
        "self.count = getattr(self, 'count', 0) + 1\n"
        "gamma = 0.9 if self.count > 20 else 0.5\n"
        + in_no_grad(f"q = {MAX}", Y.replace("self.gamma", "gamma")),
        "it was: self.count",
    ),
    "it keeps the largest": Spelling(
        in_no_grad(f"q = {MAX}", "self.largest = q.max()", Y),
    ),
    "it keeps a list": Spelling(
        "self.means = getattr(self, 'means', [])\n"
        + in_no_grad(f"q = {MAX}", "self.means.append(q.mean())", Y),
        "self.means",
    ),
    "it tries": Spelling(
        f"try:\n    with torch.no_grad():\n        q = {MAX}\nexcept RuntimeError:\n    raise\n{Y}"
    ),
    # Wrong ones: what they learn must be as wrong as it is plainly.
    "gradients flow into the targets": Spelling(f"q = {MAX}\n{Y}"),
    "terminals are forgotten": Spelling(in_no_grad(f"target = reward_n + self.gamma * {MAX}")),
    "the online network values": Spelling(
        in_no_grad(f"q = {MAX.replace('q_net_target', 'q_net')}", Y)
    ),
    "a gradient is left for the next update": Spelling(
        in_no_grad(f"q = {MAX}", Y) + "self.optimizer.zero_grad = lambda: None\n"
    ),
    "an optimizer of its own": Spelling(
        in_no_grad(f"q = {MAX}", Y) + "if not hasattr(self, 'own'):\n"
        "    self.own = torch.optim.SGD(self.q_net_target.parameters(), 0.01)\n"
        "self.own.step()\n",
        "(",
    ),
    "a weight is changed": Spelling(in_no_grad(f"q = {MAX}", Y, "self.weights[0].mul_(0.999)")),
    "rows are mixed up": Spelling(
        in_no_grad(f"q = {MAX}.unsqueeze(1)", Y) + "target = target.mean(dim=0)\n"
    ),
}


def critic_class(name: str) -> type[DQNCritic]:
    """A critic whose targets are spelled so; its lines can be quoted as those of a file."""
    # From the file: where another tree was judged in this process, `inspect` has its lines.
    file_text = Path(dqn_critic.__file__).read_text()
    (method,) = (
        node
        for node in ast.walk(ast.parse(file_text))
        if isinstance(node, ast.FunctionDef) and node.name == "gradient_step"
    )
    source = textwrap.dedent(ast.get_source_segment(file_text, method, padded=True) or "")
    before, _, rest = source.partition("    # BEGIN SOLUTION hw3.dqn.targets -> target\n")
    _, _, after = rest.partition("    # END SOLUTION\n")
    text = before + textwrap.indent(SPELLINGS[name].body, "    ") + after
    file = f"/students/{name.replace(' ', '_')}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = dict(vars(dqn_critic))
    exec(compile(text, file, "exec", __future__.annotations.compiler_flag), names)
    return type("DQNCritic", (DQNCritic,), {"gradient_step": names["gradient_step"]})
