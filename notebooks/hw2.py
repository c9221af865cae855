# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Homework 2: policy gradient
#
# This notebook is the [handout](../docs/hw2.md) to work in. A cell that begins with `%%blank` writes your code into your tree and
# judges it at once. A cell that begins with `%%own` runs in a process of its own, with your blanks as they are at that moment. Work from
# top to bottom. It takes about three minutes of computing.
#
# In Colab, upload `hw2.zip` first. In your own tree, type `pip install -c constraints.txt -e ".[notebook]"`, then `jupyter lab`.

# %%
# {{start}}

# %% [markdown]
# ## Reward-to-go
#
# {{text: Reward-to-go}}

# %% [markdown]
# {{blank: hw2.returns.discounted_return}}

# %%
# %%blank hw2.returns.discounted_return

# %% [markdown]
# {{blank: hw2.returns.reward_to_go}}

# %%
# %%blank hw2.returns.reward_to_go

# %% [markdown]
# {{blank: hw2.pg.q_values}}

# %%
# %%blank hw2.pg.q_values

# %% [markdown]
# ### Your returns beside exact ones
#
# A chain of five states pays a noisy reward in each. Its values are known from the equation $V = r + \gamma P V$. The mean of your
# reward-to-go over many paths must come close to them, at every step of a path.

# %%
# %%own
import matplotlib.pyplot as plt
import numpy as np

from cs285.agents.returns import discounted_return, reward_to_go

rng, gamma, length = np.random.default_rng(0), 0.9, 12
mean_reward = np.array([1.0, 0.0, -1.0, 2.0, 0.5])
rewards = [mean_reward[np.arange(length) % 5] + rng.normal(0, 1, length) for _ in range(2000)]
exact = [
    sum(gamma ** (k - t) * mean_reward[k % 5] for k in range(t, length)) for t in range(length)
]
yours = np.array([reward_to_go(r, gamma) for r in rewards])
print(
    f"return of the whole path: exact {exact[0]:.3f}, yours {np.mean([discounted_return(r, gamma) for r in rewards]):.3f}"
)
fig, ax = plt.subplots(figsize=(6.4, 3))
ax.plot(exact, color="#767676", label="exact")
ax.errorbar(
    range(length),
    yours.mean(0),
    2 * yours.std(0) / 2000**0.5,
    fmt="o",
    color="#0072b2",
    label="your mean, two standard errors",
)
ax.set(xlabel="step of the path", title="reward-to-go")
ax.legend(frameon=False)

# %% [markdown]
# ## The policy
#
# {{text: The gradient of an expected return}}

# %% [markdown]
# {{blank: hw2.policy.update}}

# %%
# %%blank hw2.policy.update

# %% [markdown]
# ## Standardised advantages
#
# {{text: Standardised advantages}}

# %% [markdown]
# ## A learned baseline
#
# {{text: A learned baseline}}

# %% [markdown]
# {{blank: hw2.pg.advantage}}

# %%
# %%blank hw2.pg.advantage

# %% [markdown]
# {{blank: hw2.pg.standardize}}

# %%
# %%blank hw2.pg.standardize

# %% [markdown]
# {{blank: hw2.value.update}}

# %%
# %%blank hw2.value.update

# %% [markdown]
# {{blank: hw2.pg.baseline}}

# %%
# %%blank hw2.pg.baseline

# %% [markdown]
# ## GAE
#
# {{text: GAE}}

# %% [markdown]
# {{blank: hw2.returns.gae}}

# %%
# %%blank hw2.returns.gae

# %% [markdown]
# ### Bias and variance of $\lambda$
#
# Here the critic is wrong on purpose: its values are those of the chain, plus an error. The true advantage is 0 at each step, since the
# chain offers no choice. So the mean of your estimate is its bias. The lines are computed from the equation, the dots from your function.

# %%
# %%own
import matplotlib.pyplot as plt
import numpy as np

from cs285.agents.returns import generalized_advantages

rng, gamma, length, paths = np.random.default_rng(0), 0.95, 40, 1000
true_values = np.array([sum(gamma**k for k in range(length - t)) for t in range(length + 1)])
error = 2.0 * np.cos(np.arange(length + 1) / 3.0)
error[-1] = 0.0  # the path ends there
values = true_values + error
ends = np.zeros(length)
ends[-1] = 1.0
lambdas = np.array([0, 0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 1.0])


def exact(lam):
    """Bias and variance of the estimate at the first step."""
    weights = (gamma * lam) ** np.arange(length)
    delta = 1.0 + gamma * values[1:] - values[:-1]
    return weights @ delta, (weights**2).sum()  # each reward has variance 1


def yours(lam):
    rewards = 1.0 + rng.normal(0, 1, (paths, length))
    first = [
        generalized_advantages(r, values[:-1], values[1:], ends, ends > 0, gamma, lam)[0]
        for r in rewards
    ]
    return np.mean(first), np.var(first)


grid = np.linspace(0, 1, 200)
line, dots = np.array([exact(lam) for lam in grid]), np.array([yours(lam) for lam in lambdas])
fig, ax = plt.subplots(figsize=(6.4, 3.2))
for column, color, name in ((0, "#d55e00", "bias squared"), (1, "#0072b2", "variance")):
    power = 2 if column == 0 else 1
    ax.plot(grid, line[:, column] ** power, color=color, label=f"{name}, exact")
    ax.plot(lambdas, dots[:, column] ** power, "o", color=color, label=f"{name}, yours")
ax.plot(grid, line[:, 0] ** 2 + line[:, 1], color="#767676", ls="--", label="their sum")
ax.set(xlabel="lambda", title="GAE at the first step of a path", ylim=(0, None))
ax.legend(frameon=False)
print(
    "\n".join(
        f"lambda {lam:4}: bias {b:6.2f} (exact {exact(lam)[0]:6.2f}), variance {v:5.1f} (exact {exact(lam)[1]:5.1f})"
        for lam, (b, v) in zip(lambdas, dots)
    )
)

# %% [markdown]
# ## Train
#
# Thirty iterations on CartPole, with reward-to-go. Random play scores about 22, and 200 is the most.

# %%
run = train(
    """
python scripts/run_hw2.py --env_name CartPole-v0 -n 30 -b 1000 -rtg --exp_name notebook
"""
)

# %%
run.film()

# %% [markdown]
# ## All together
#
# The whole board, and the zip to hand in. `pack` lists what is still open. The runs that the handout asks for take longer: start them in a
# terminal.

# %%
check(homework="hw2")

# %%
pack("hw2")
