"""Mistakes that may stand anywhere, tried where they are likely."""

from __future__ import annotations

from tests.autograder.corpus import right, wrong

VALUE, POLICY, TARGETS = "hw3.critic.update", "hw3.policy.update", "hw3.dqn.targets"
TENSORS = "obs, next_obs = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)"

ENTRIES = [
    wrong(
        "U10",
        VALUE,
        "crash.dtypes",
        (TENSORS, "obs, next_obs = torch.tensor(ob_no).double(), torch.tensor(next_ob_no).double()"),
    ),
    wrong("U10", POLICY, "crash.dtypes", ("ptu.from_numpy(observations)", "torch.tensor(observations).double()")),
    wrong("U10", TARGETS, "crash.dtypes", ("self.q_net_target(next_ob_no)", "self.q_net_target(next_ob_no.double())")),
    wrong("U02", VALUE, "critic.graph_kept", ("loss.backward()", "loss.backward()\n        self.total = getattr(self, 'total', 0) + loss")),
    wrong("U02", "critics/dqn_critic.py", "gradient.graph_kept", ("        loss.backward()", "        self.losses = [*getattr(self, 'losses', []), loss]\n        loss.backward()"), check=TARGETS),
    right("", VALUE, ("loss.backward()", "loss.backward()\n        self.total = getattr(self, 'total', 0) + loss.item()")),
    wrong("C18", VALUE, "crash.array_and_tensor", (TENSORS, "obs, next_obs = ob_no, next_ob_no")),
    wrong("", TARGETS, "crash.unknown_name", ("self.gamma", "gamma")),
    wrong("", VALUE, "crash.unknown_name", ("self.gamma", "gamma")),
    wrong("", "critics/bootstrapped_continuous_critic.py", "crash.no_module", ("import torch\n", "import torch\nfrom no_such_module import Base\n\nBase()\n"), check=VALUE),
    right("", "critics/bootstrapped_continuous_critic.py", ("import torch\n", "import torch\nimport no_such_module\n"), check=VALUE),
]  # fmt: skip
