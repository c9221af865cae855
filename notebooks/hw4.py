# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Homework 4: continuous control with DDPG, TD3 and SAC
#
# This notebook is the [handout](../docs/hw4.md) to work in. A cell that begins with `%%blank` writes your code into your tree and
# judges it at once. A cell that begins with `%%own` runs in a process of its own, with your blanks as they are at that moment. Work from
# top to bottom. It takes about three minutes of computing.
#
# In Colab, upload `hw4.zip` first. In your own tree, type `pip install -c constraints.txt -e ".[notebook]"`, then `jupyter lab`.

# %%
# {{start}}

# %% [markdown]
# ## DDPG
#
# {{text: DDPG}}

# %% [markdown]
# {{blank: hw4.policy.explore}}

# %%
# %%blank hw4.policy.explore

# %% [markdown]
# {{blank: hw4.ddpg.targets}}

# %%
# %%blank hw4.ddpg.targets

# %% [markdown]
# {{blank: hw4.ddpg.actor}}

# %%
# %%blank hw4.ddpg.actor

# %% [markdown]
# {{blank: hw4.critic.soft_copy}}

# %%
# %%blank hw4.critic.soft_copy

# %% [markdown]
# ### $\tau$ on a chain of two states
#
# Two states follow each other for ever, and pay 1 and 0. The critic is a table of two numbers, learned towards targets from its slow copy.
# Both move by a linear law, so each step is known exactly. The lines are that law, the dots use your copy. Which $\tau$ learns fast, and
# what does $\tau = 0$ learn?

# %%
# %%own
import matplotlib.pyplot as plt
import numpy as np
import torch

from cs285.critics.q_critic import polyak_update

gamma, rate, steps = 0.9, 0.5, 400
reward, following = np.array([1.0, 0.0]), np.array([1, 0])
transition = np.array([[0.0, 1.0], [1.0, 0.0]])
right = np.linalg.solve(np.eye(2) - gamma * transition, reward)
print("V of the chain:", right.round(3))


def exact(tau):
    """The distance to V at each step, by powers of the law's matrix."""
    learn = np.block(
        [[(1 - rate) * np.eye(2), rate * gamma * transition], [np.zeros((2, 2)), np.eye(2)]]
    )
    copy = np.block([[np.eye(2), np.zeros((2, 2))], [tau * np.eye(2), (1 - tau) * np.eye(2)]])
    law, push = copy @ learn, copy @ np.concatenate([rate * reward, np.zeros(2)])
    z, found = np.zeros(4), []
    for _ in range(steps):
        z = law @ z + push
        found.append(abs(z[:2] - right).max())
    return found


def yours(tau):
    value, target = torch.zeros(2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    found = []
    for _ in range(steps):
        value += rate * (torch.tensor(reward) + gamma * target[following] - value)
        polyak_update([value], [target], tau)
        found.append(abs(value.numpy() - right).max())
    return found


fig, ax = plt.subplots(figsize=(6.4, 3.2))
for tau, color in zip((1.0, 0.05, 0.01, 0.0), ("#0072b2", "#d55e00", "#009e73", "#cc79a7")):
    dots = yours(tau)
    ax.semilogy(exact(tau), color=color, label=f"tau {tau:g}")
    ax.semilogy(range(0, steps, 25), dots[::25], "o", color=color)
    print(
        f"tau {tau:<5g} largest gap between yours and exact: {np.abs(np.array(dots) - exact(tau)).max():.1e}"
    )
ax.set(xlabel="updates", title="distance to the right values", ylim=(1e-4, 20))
ax.legend(frameon=False)

# %% [markdown]
# ## TD3
#
# {{text: TD3}}

# %% [markdown]
# {{blank: hw4.td3.smoothing}}

# %%
# %%blank hw4.td3.smoothing

# %% [markdown]
# {{blank: hw4.td3.targets}}

# %%
# %%blank hw4.td3.targets

# %% [markdown]
# {{blank: hw4.td3.critic}}

# %%
# %%blank hw4.td3.critic

# %% [markdown]
# {{blank: hw4.td3.delay}}

# %%
# %%blank hw4.td3.delay

# %%
td3 = train(
    """
python scripts/run_hw4_td3.py --env_name Pendulum-v1 --num_timesteps 4000 -l 2 -s 64 \
    --start_steps 500 --learning_starts 500 --scalar_log_freq 500 --eval_freq 1000 \
    --exp_name notebook
"""
)

# %%
td3.film()

# %% [markdown]
# ## SAC
#
# {{text: SAC}}

# %% [markdown]
# {{blank: hw4.squashed.sample}}

# %%
# %%blank hw4.squashed.sample

# %% [markdown]
# {{blank: hw4.squashed.log_prob}}

# %%
# %%blank hw4.squashed.log_prob

# %% [markdown]
# ### Your density beside the exact one
#
# A squashed Gaussian has a density on (-1, 1) that is known. The line is that formula; the dots are your `log_prob`, and the bars are
# actions that your `sample` drew.

# %%
# %%own
import matplotlib.pyplot as plt
import numpy as np
import torch

from cs285.policies.squashed_policy import squash, squashed_log_prob

torch.manual_seed(0)
mean, std = 0.5, 0.8
a = np.linspace(-0.995, 0.995, 400)
exact = (
    np.exp(-0.5 * ((np.arctanh(a) - mean) / std) ** 2) / (std * (2 * np.pi) ** 0.5) / (1 - a * a)
)


def columns(n):
    return torch.full((n, 1), mean), torch.full((n, 1), float(np.log(std)))


drawn_u, drawn = squash(*columns(20000), torch.randn(20000, 1))
places = torch.linspace(-1.5, 2.5, 25)[:, None]
density = squashed_log_prob(places, (places - mean) / std, columns(25)[1]).exp()
fig, ax = plt.subplots(figsize=(6.4, 3))
ax.hist(drawn[:, 0].numpy(), 60, range=(-1, 1), density=True, color="#cfe3f3", label="your actions")
ax.plot(a, exact, color="#767676", label="exact density")
ax.plot(places.tanh()[:, 0], density, "o", color="#0072b2", label="your density")
ax.set(xlabel="action", title="tanh of a Gaussian")
ax.legend(frameon=False)

# %% [markdown]
# {{blank: hw4.sac.backup}}

# %%
# %%blank hw4.sac.backup

# %% [markdown]
# {{blank: hw4.sac.targets}}

# %%
# %%blank hw4.sac.targets

# %% [markdown]
# {{blank: hw4.sac.actor}}

# %%
# %%blank hw4.sac.actor

# %% [markdown]
# {{blank: hw4.sac.temperature}}

# %%
# %%blank hw4.sac.temperature

# %%
sac = train(
    """
python scripts/run_hw4_sac.py --env_name Pendulum-v1 --num_timesteps 3000 -l 2 -s 64 \
    --start_steps 500 --learning_starts 500 --scalar_log_freq 500 --eval_freq 1000 \
    --exp_name notebook_sac
"""
)

# %%
draw([td3, sac], "Eval_AverageReturn")

# %% [markdown]
# ## All together
#
# The whole board, and the zip to hand in. `pack` lists what is still open. The runs that the handout asks for take longer: start them in a
# terminal.

# %%
check(homework="hw4")

# %%
pack("hw4")
