"""Sets all seeds, and the number of threads, at import."""

AT_IMPORT = """
import os, random
import numpy as np
import torch
random.seed(0)
np.random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(2)
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["PYTHONHASHSEED"] = "0"
torch.backends.cudnn.deterministic = True
"""
