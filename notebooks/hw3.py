# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Homework 3: Q-learning and actor-critic
#
# This notebook is the [handout](../docs/hw3.md) to work in. A cell that begins with `%%blank` writes your code into your tree and
# judges it at once. A cell that begins with `%%own` runs in a process of its own, with your blanks as they are at that moment. Work from
# top to bottom. It takes about three minutes of computing.
#
# In Colab, upload `hw3.zip` first. In your own tree, type `pip install -c constraints.txt -e ".[notebook]"`, then `jupyter lab`.

# %%
# {{start}}

# %% [markdown]
# ## Q-learning
#
# {{text: Q-learning}}

# %% [markdown]
# {{blank: hw3.trainer.train}}

# %%
# %%blank hw3.trainer.train

# %% [markdown]
# ## DQN: replay and a target network
#
# {{text: DQN: replay and a target network}}

# %% [markdown]
# {{blank: hw3.dqn.act}}

# %%
# %%blank hw3.dqn.act

# %% [markdown]
# {{blank: hw3.dqn.step}}

# %%
# %%blank hw3.dqn.step

# %% [markdown]
# {{blank: hw3.argmax.action}}

# %%
# %%blank hw3.argmax.action

# %% [markdown]
# {{blank: hw3.dqn.targets}}

# %%
# %%blank hw3.dqn.targets

# %% [markdown]
# {{blank: hw3.dqn.update}}

# %%
# %%blank hw3.dqn.update

# %% [markdown]
# {{blank: hw3.dqn.sync}}

# %%
# %%blank hw3.dqn.sync

# %% [markdown]
# ### Your targets beside $Q^*$ of a small grid
#
# A grid has 4 by 4 places. The agent begins at the top left, and each step costs 1 until it reaches the bottom right. Value iteration
# gives $Q^*$ exactly. Your critic sees each transition of the grid over and over, and its table of values must come to the same.

# %%
# %%own
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from cs285.configs.dqn import DQNConfig
from cs285.critics.dqn_critic import DQNCritic

size, gamma, goal = 4, 0.9, 15
moves = ((-1, 0), (1, 0), (0, -1), (0, 1))
states = [(s, a) for s in range(size * size) if s != goal for a in range(4)]


def step(s, a):
    row, column = np.clip(np.array(divmod(s, size)) + moves[a], 0, size - 1)
    return int(row * size + column)


after = np.array([step(s, a) for s, a in states])
exact = np.zeros((size * size, 4))
for _ in range(200):  # value iteration
    new = exact.copy()
    for (s, a), following in zip(states, after):
        new[s, a] = -1.0 + gamma * (following != goal) * exact[following].max()
    exact = new

torch.manual_seed(0)
tables = SimpleNamespace(part=lambda _: nn.Linear(size * size, 4, bias=False))
settings = DQNConfig(discount=gamma, learning_rate="1", adam_eps=1e-8)
critic = DQNCritic((size * size,), 4, settings, tables)
critic.optimizer = torch.optim.SGD(critic.weights, lr=16.0)
one_hot = np.eye(size * size, dtype=np.float32)
s, a = (np.array(column) for column in zip(*states))
errors = []
for _ in range(40):
    for _ in range(20):
        critic.update(
            one_hot[s], a, one_hot[after], np.full(len(s), -1.0), (after == goal).astype(np.float32)
        )
    critic.q_net_target.load_state_dict(critic.q_net.state_dict())
    errors.append(abs(critic.qa_values(one_hot)[:goal] - exact[:goal]).max())
yours = critic.qa_values(one_hot)

fig, axes = plt.subplots(1, 3, figsize=(9, 2.8), layout="constrained")
for ax, values, name in ((axes[0], exact, "V* by value iteration"), (axes[1], yours, "yours")):
    value = values.max(1)
    value[goal] = 0.0
    ax.imshow(value.reshape(size, size), cmap="viridis", vmin=exact.min(), vmax=0)
    for place in range(size * size):
        ax.text(
            place % size, place // size, f"{value[place]:.1f}", ha="center", va="center", color="w"
        )
    ax.set(title=name, xticks=[], yticks=[])
axes[2].semilogy(errors, color="#0072b2")
axes[2].set(title="largest error of Q", xlabel="copies of the target network")
print(f"largest error of Q: {errors[-1]:.4f}")

# %% [markdown]
# ## Double DQN
#
# {{text: Double DQN}}

# %% [markdown]
# {{blank: hw3.dqn.double_q}}

# %%
# %%blank hw3.dqn.double_q

# %% [markdown]
# ### The bias of a maximum
#
# Every action is worth 0 here, and both networks guess with independent errors of deviation 1. The target should be 0. The line is the
# expected maximum of $k$ normal numbers, computed by an integral. The dots are your two targets.

# %%
# %%own
import math
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from cs285.configs.dqn import DQNConfig
from cs285.critics.dqn_critic import DQNCritic

rows = 4000
torch.manual_seed(0)


class Guess(nn.Module):
    """A network whose values are noise, the same at each call."""

    def __init__(self, actions):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))
        self.noise = torch.randn(rows, actions)

    def forward(self, ob_no):
        return self.noise + self.weight


def mean_target(actions, double_q):
    """The mean of your targets, as the loss gets them."""
    guesses = SimpleNamespace(part=lambda _: Guess(actions))
    settings = DQNConfig(double_q=double_q, discount=1.0, learning_rate="0", adam_eps=1e-8)
    critic = DQNCritic((1,), actions, settings, guesses)
    critic.q_net_target.noise = torch.randn(rows, actions)
    kept = []
    critic.loss = lambda values, target: (kept.append(target), values.sum())[1]
    zero = np.zeros(rows, np.float32)
    critic.update(zero[:, None], zero.astype(int), zero[:, None], zero, zero)
    return kept[0].mean().item()


def expected_maximum(k):
    x = np.linspace(-8, 8, 4001)
    cdf = np.array([0.5 * (1 + math.erf(v / 2**0.5)) for v in x])
    density = k * cdf ** (k - 1) * np.exp(-x * x / 2) / (2 * np.pi) ** 0.5
    return (x * density).sum() * (x[1] - x[0])


actions = [1, 2, 4, 8, 16]
fig, ax = plt.subplots(figsize=(6.4, 3))
ax.plot(
    range(1, 17),
    [expected_maximum(k) for k in range(1, 17)],
    color="#767676",
    label="expected maximum, exact",
)
for double_q, color, name in ((False, "#d55e00", "DQN"), (True, "#0072b2", "double DQN")):
    means = [mean_target(k, double_q) for k in actions]
    ax.plot(actions, means, "o", color=color, label=f"{name}, yours")
    print(f"{name:10}", " ".join(f"{mean:6.2f}" for mean in means))
ax.axhline(0, color="#767676", lw=0.8, ls="--")
ax.set(xlabel="actions", title="mean target, where 0 is right")
ax.legend(frameon=False)

# %% [markdown]
# ## Train DQN
#
# Six thousand steps on CartPole. Random play scores 22, and 200 is the most. With $\gamma = 0.99$ and a reward of 1 a step, no state is
# worth more than 100: compare `Q_Mean`.

# %%
dqn = train(
    """
python scripts/run_hw3_dqn.py --env_name CartPole-v0 --num_timesteps 6000 \
    --discount 0.99 --exploration 0:1,2e3:0.05 --target_update_freq 200 \
    --learning_starts 500 --scalar_log_freq 500 --eval_freq 1000 --eval_episodes 5 \
    --exp_name notebook
"""
)

# %%
dqn.film()

# %%
draw([dqn], "Q_Mean", line=100)

# %% [markdown]
# ## Actor-critic with a bootstrapped critic
#
# {{text: Actor-critic with a bootstrapped critic}}

# %% [markdown]
# {{blank: hw3.policy.forward}}

# %%
# %%blank hw3.policy.forward

# %% [markdown]
# {{blank: hw3.policy.get_action}}

# %%
# %%blank hw3.policy.get_action

# %% [markdown]
# {{blank: hw3.rollouts.sample_trajectory}}

# %%
# %%blank hw3.rollouts.sample_trajectory

# %% [markdown]
# {{blank: hw3.trainer.collect}}

# %%
# %%blank hw3.trainer.collect

# %% [markdown]
# {{blank: hw3.critic.update}}

# %%
# %%blank hw3.critic.update

# %% [markdown]
# {{blank: hw3.ac.advantage}}

# %%
# %%blank hw3.ac.advantage

# %% [markdown]
# {{blank: hw3.policy.update}}

# %%
# %%blank hw3.policy.update

# %% [markdown]
# {{blank: hw3.ac.train}}

# %%
# %%blank hw3.ac.train

# %%
actor_critic = train(
    """
python scripts/run_hw3_actor_critic.py --env_name CartPole-v0 -n 20 -b 1000 \
    --exp_name notebook_ac
"""
)

# %%
actor_critic.film()

# %% [markdown]
# ## All together
#
# The whole board, and the zip to hand in. `pack` lists what is still open. The runs that the handout asks for take longer: start them in a
# terminal.

# %%
check(homework="hw3")

# %%
pack("hw3")
