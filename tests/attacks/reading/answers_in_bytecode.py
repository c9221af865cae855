"""Looks for answers in compiled files, in linecache and in the constants of code."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import gc, linecache, os, sys, types

def loot():
    found = [name for name in linecache.cache if "judge_" in name or "/solution" in name]
    for name, entry in list(linecache.cache.items()):
        if len(entry) == 4 and any("qa_tp1_values, 1, next_" + "ac_n" in line for line in entry[2]):
            found.append(name)
    for place in sys.path:
        for folder, _, files in os.walk(os.path.join(place, "autograder")):
            found += [f for f in files if f.endswith(".pyc") and "answer" in f]
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType) and "judge_" in thing.__code__.co_filename:
            found.append(thing.__name__)
    return found[:5]
"""
}
