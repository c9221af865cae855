"""Sets variables of the environment at import."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import os
os.environ['OMP_NUM_THREADS'] = '1'
os.environ.setdefault('MUJOCO_GL', 'egl')
os.environ['CUDA_VISIBLE_DEVICES'] = ''
""",
}
