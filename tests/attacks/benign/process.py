"""Lets another process do something at import."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import multiprocessing
process = multiprocessing.get_context("fork").Process(target=print)
process.start()
process.join()
assert process.exitcode == 0
""",
}
