"""Makes environments in processes of their own, to look at their spaces."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import gymnasium
envs = gymnasium.make_vec("CartPole-v1", num_envs=2, vectorization_mode="async")
assert envs.reset(seed=1)[0].shape == (2, 4)
envs.close()
""",
}
