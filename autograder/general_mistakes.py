"""What stands behind exceptions that may come from any blank."""

from __future__ import annotations

from autograder.mistakes import Mistake

PYTHON = "Python tutorial, Errors and Exceptions"

MISTAKES = {
    "crash.syntax": Mistake(
        "The file is not valid Python.",
        "Nothing in it can run; blanks in other files are judged all the same.",
        PYTHON,
    ),
    "crash.unknown_name": Mistake(
        "A name is used that does not exist there.",
        "Perhaps it exists in another method, under another name, or needs `self.` before it.",
        "Python tutorial, Python Scopes and Namespaces",
    ),
    "crash.one_path": Mistake(
        "A variable is used before it has a value.",
        "It gets one further down, or on another path: until then it does not exist.",
        "Python tutorial, Python Scopes and Namespaces",
    ),
    "crash.array_and_tensor": Mistake(
        "Arrays and tensors meet on that line.",
        "A network takes tensors; NumPy takes arrays, and none that still carry a gradient.",
        "cs285/infrastructure/pytorch_util.py, from_numpy and to_numpy",
    ),
    "crash.dtypes": Mistake(
        "Numbers of two kinds met in one operation.",
        "Weights are 32-bit floats; what meets them must be too.",
        "PyTorch documentation, Tensor Attributes, torch.dtype",
    ),
    "crash.no_such_axis": Mistake(
        "An axis is asked for that the numbers there do not have.",
        "Perhaps it was squeezed, gathered or reduced away before: print the shape on that line.",
        "PyTorch documentation, torch.Tensor.shape and torch.squeeze",
    ),
    "crash.not_iterable": Mistake(
        "A number is not a range.",
        "A loop needs something to go through.",
        "Python tutorial, The range() Function",
    ),
    "crash.graph_used_twice": Mistake(
        "The same graph is walked backward twice.",
        "Its intermediate values are freed after the first time. Something that should be a "
        "constant still carries its history.",
        "PyTorch documentation, 'Autograd mechanics'",
    ),
    "crash.no_attribute": Mistake(
        "An object is asked for something that it does not have.",
        "Perhaps it has it under another name, or another object has it.",
        "Python tutorial, Classes",
    ),
    "crash.unpacked": Mistake(
        "Something is taken apart into more or fewer names than it has parts.",
        "A pair has two parts, a tensor as many as it has rows.",
        "Python tutorial, Tuples and Sequences",
    ),
    "crash.no_module": Mistake(
        "Something is imported that is not there.",
        "The file stops at that line, so nothing below it exists.",
        "Python tutorial, Modules",
    ),
    "crash.debugger": Mistake(
        "A debugger is called on that line.",
        "Training stops there, and waits for somebody at the keyboard.",
        "Python documentation, pdb, the Python Debugger",
    ),
}
