# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Homework 5: PPO and TRPO
#
# This notebook is the [handout](../docs/hw5.md) to work in. A cell that begins with `%%blank` writes your code into your tree and
# judges it at once. A cell that begins with `%%own` runs in a process of its own, with your blanks as they are at that moment. Work from
# top to bottom. It takes about three minutes of computing.
#
# In Colab, upload `hw5.zip` first. In your own tree, type `pip install -c constraints.txt -e ".[notebook]"`, then `jupyter lab`.

# %%
# {{start}}

# %% [markdown]
# ## Advantages: two masks in GAE
#
# {{text: Advantages: two masks in GAE}}

# %% [markdown]
# {{blank: hw5.ppo.advantage}}

# %%
# %%blank hw5.ppo.advantage

# %% [markdown]
# {{blank: hw5.ppo.minibatches}}

# %%
# %%blank hw5.ppo.minibatches

# %% [markdown]
# {{blank: hw5.ppo.standardize}}

# %%
# %%blank hw5.ppo.standardize

# %% [markdown]
# ## PPO: stop paying
#
# {{text: PPO: stop paying}}

# %% [markdown]
# {{blank: hw5.ppo.clipped_loss}}

# %%
# %%blank hw5.ppo.clipped_loss

# %% [markdown]
# {{blank: hw5.ppo.kl}}

# %%
# %%blank hw5.ppo.kl

# %% [markdown]
# ### Your loss beside the exact one, and a divergence
#
# Left: the objective for a good and a bad action, as the ratio moves. Its slope is what the policy learns from: where is it 0? Right: your
# estimate of the divergence between two Gaussians, from many actions, beside the exact $\mathrm{KL} = \delta^2 / 2$.

# %%
# %%own
import matplotlib.pyplot as plt
import numpy as np
import torch

from cs285.agents.ppo_agent import clipped_surrogate_loss, kl_estimate

torch.manual_seed(0)
eps = 0.2
ratios = np.linspace(0.4, 1.6, 200)
fig, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
for advantage, color in ((1.0, "#0072b2"), (-1.0, "#d55e00")):
    exact = np.minimum(ratios * advantage, np.clip(ratios, 1 - eps, 1 + eps) * advantage)
    few = ratios[::14]
    yours = [
        -clipped_surrogate_loss(torch.tensor([np.log(r)]), torch.tensor([advantage]), eps).item()
        for r in few
    ]
    axes[0].plot(ratios, exact, color=color, label=f"A = {advantage:g}, exact")
    axes[0].plot(few, yours, "o", color=color, label=f"A = {advantage:g}, yours")
axes[0].set(xlabel="ratio", title="clipped objective")
axes[0].legend(frameon=False)
shifts = np.linspace(0.05, 1.0, 8)
actions = torch.randn(200_000, dtype=torch.float64)
estimates = [
    kl_estimate(actions * d - d * d / 2).item() for d in shifts
]  # log ratio of N(d, 1) to N(0, 1)
axes[1].plot(shifts, shifts**2 / 2, color="#767676", label="exact")
axes[1].plot(shifts, estimates, "o", color="#0072b2", label="yours")
axes[1].set(xlabel="distance of the means", title="KL, nats")
axes[1].legend(frameon=False)
print("largest error of KL:", f"{max(abs(e - d * d / 2) for e, d in zip(estimates, shifts)):.4f}")

# %% [markdown]
# {{blank: hw5.ppo.update}}

# %%
# %%blank hw5.ppo.update

# %% [markdown]
# ## Train PPO
#
# Eight iterations on CartPole. Random play scores 22, and 500 is the most.

# %%
ppo = train(
    """
python scripts/run_hw5_ppo.py --env_name CartPole-v1 -n 8 --exp_name notebook
"""
)

# %%
ppo.film()

# %% [markdown]
# ## TRPO: the largest step that can be trusted
#
# {{text: TRPO: the largest step that can be trusted}}

# %% [markdown]
# {{blank: hw5.trpo.surrogate}}

# %%
# %%blank hw5.trpo.surrogate

# %% [markdown]
# {{blank: hw5.cg.step}}

# %%
# %%blank hw5.cg.step

# %% [markdown]
# {{blank: hw5.trpo.fisher_product}}

# %%
# %%blank hw5.trpo.fisher_product

# %% [markdown]
# {{blank: hw5.trpo.longest_step}}

# %%
# %%blank hw5.trpo.longest_step

# %% [markdown]
# {{blank: hw5.trpo.line_search}}

# %%
# %%blank hw5.trpo.line_search

# %% [markdown]
# ### Conjugate gradients beside the exact solution
#
# A random system $H x = b$ with eight unknowns is solved exactly. Your steps must reach that after eight products, and the step that
# you scale must lie on the edge of the trust region.

# %%
# %%own
import matplotlib.pyplot as plt
import numpy as np
import torch

from cs285.agents.trpo_agent import conjugate_gradient, scale_to_trust_region

rng = np.random.default_rng(0)
root = rng.normal(size=(8, 8))
matrix = torch.tensor(root @ root.T + np.eye(8))
b = torch.tensor(rng.normal(size=8))
exact = torch.linalg.solve(matrix, b)
errors = [(conjugate_gradient(lambda v: matrix @ v, b, n) - exact).norm().item() for n in range(9)]
fig, ax = plt.subplots(figsize=(6.4, 3))
ax.semilogy(errors, "o-", color="#0072b2")
ax.set(xlabel="products with H", title="distance to the exact solution")
step = scale_to_trust_region(exact, matrix @ exact, 0.01)
print(f"half of step' H step: {0.5 * (step @ matrix @ step).item():.6f}, and delta is 0.01")

# %%
trpo = train(
    """
python scripts/run_hw5_trpo.py --env_name CartPole-v1 -n 8 --exp_name notebook_trpo
"""
)

# %%
draw([ppo, trpo], "Train_AverageReturn", line=500)

# %% [markdown]
# ## All together
#
# The whole board, and the zip to hand in. `pack` lists what is still open. The runs that the handout asks for take longer: start them in a
# terminal.

# %%
check(homework="hw5")

# %%
pack("hw5")
