"""Reads a little data set with workers of a loader at import."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import torch
data = torch.utils.data.TensorDataset(torch.arange(8.0))
batches = [batch for (batch,) in torch.utils.data.DataLoader(data, 4, num_workers=2)]
assert len(batches) == 2
""",
}
