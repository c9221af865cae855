"""The errors that end a command in one line."""


class UserError(Exception):
    """A mistake of the person at the keyboard; one line says what, where and how to mend it."""


class TaskError(UserError):
    """A fault of the task: it raised, or returned what no agent can learn from."""
