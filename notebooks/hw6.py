# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Homework 6: choosing algorithms
#
# This notebook is the [handout](../docs/hw6.md) to work in. A cell that begins with `%%blank` writes your code into your tree and
# judges it at once. A cell that begins with `%%own` runs in a process of its own, with your blanks as they are at that moment. Work from
# top to bottom. It takes about three minutes of computing.
#
# In Colab, upload `hw6.zip` first. In your own tree, type `pip install -c constraints.txt -e ".[notebook]"`, then `jupyter lab`.

# %%
# {{start}}

# %% [markdown]
# ## Rules
#
# {{text: Rules}}

# %% [markdown]
# {{blank: hw6.ucb.index}}

# %%
# %%blank hw6.ucb.index

# %% [markdown]
# {{blank: hw6.window.update}}

# %%
# %%blank hw6.window.update

# %% [markdown]
# {{blank: hw6.exp3.probs}}

# %%
# %%blank hw6.exp3.probs

# %% [markdown]
# {{blank: hw6.exp3.update}}

# %%
# %%blank hw6.exp3.update

# %% [markdown]
# {{blank: hw6.d3rb.choose}}

# %%
# %%blank hw6.d3rb.choose

# %% [markdown]
# {{blank: hw6.d3rb.test}}

# %%
# %%blank hw6.d3rb.test

# %% [markdown]
# ### The regret of your rules
#
# Three arms pay 1 with the chances 0.3, 0.5 and 0.7. Uniform play loses 0.2 a play, exactly. No rule can do better in the long run than
# $\sum_k \Delta_k \ln n / \mathrm{kl}(p_k, p^*)$ (Lai and Robbins, 1985). Each line is the mean of 40 games
# with your rule. In so few plays a rule may still lie below that bound.

# %%
# %%own
import matplotlib.pyplot as plt
import numpy as np

from cs285.agents.selectors import make

chances, plays, games = np.array([0.3, 0.5, 0.7]), 1500, 40
gaps = chances.max() - chances
steps = np.arange(1, plays + 1)


def regret(rule):
    """The mean over games of what was lost so far, from the known chances."""
    lost = np.zeros((games, plays))
    for game in range(games):
        rng, selector = np.random.default_rng(game), make(rule, 3, game)
        for n in range(plays):
            arm = selector.choose()
            selector.update(arm, float(rng.random() < chances[arm]))
            lost[game, n] = gaps[arm]
    return lost.cumsum(1).mean(0)


def kl(p, q):
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))


bound = sum(gap / kl(p, chances.max()) for gap, p in zip(gaps, chances) if gap) * np.log(steps)
fig, ax = plt.subplots(figsize=(6.4, 3.6))
ax.plot(steps, gaps.mean() * steps, color="#767676", ls="--", label="uniform, exact")
ax.plot(steps, bound, color="#767676", label="lower bound in the long run")
for rule, color in zip(
    ("uniform", "ucb1", "ssbas", "exp3", "d3rb"),
    ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7"),
):
    lost = regret(rule)
    ax.plot(steps, lost, color=color, label=rule)
    print(f"{rule:8} {lost[-1]:6.1f} lost in {plays} plays")
ax.set(xlabel="plays", title="regret", ylim=(0, 200))
ax.legend(frameon=False, fontsize=8)

# %% [markdown]
# ## Scores, and who gets them
#
# {{text: Scores, and who gets them}}

# %% [markdown]
# {{blank: hw6.portfolio.scale}}

# %%
# %%blank hw6.portfolio.scale

# %% [markdown]
# {{blank: hw6.portfolio.choose}}

# %%
# %%blank hw6.portfolio.choose

# %% [markdown]
# {{blank: hw6.portfolio.credit}}

# %%
# %%blank hw6.portfolio.credit

# %% [markdown]
# {{blank: hw6.portfolio.learn}}

# %%
# %%blank hw6.portfolio.learn

# %% [markdown]
# {{blank: hw6.portfolio.regret}}

# %%
# %%blank hw6.portfolio.regret

# %% [markdown]
# {{blank: hw6.esbas.epoch}}

# %%
# %%blank hw6.esbas.epoch

# %% [markdown]
# ## Train a portfolio
#
# Three DQNs with different step sizes share CartPole. Who plays more and more often?

# %%
MEMBERS = ",".join(
    f"dqn:learning_rate={rate}:exploration=0.1:target_update_freq=200"
    for rate in ("1e-2", "1e-3", "1e-6")
)
portfolio = train(
    f"""
python scripts/run_hw6.py --env_name CartPole-v1 --discount 0.99 --learning_starts 500 \
    --members {MEMBERS} --num_timesteps 4000 --scalar_log_freq 500 --eval_freq 1000 \
    --exp_name notebook
"""
)

# %%
portfolio.film()

# %% [markdown]
# ## All together
#
# The whole board, and the zip to hand in. `pack` lists what is still open. The runs that the handout asks for take longer: start them in a
# terminal.

# %%
check(homework="hw6")

# %%
pack("hw6")
