"""Leaves an import hook and a path entry, so that whatever is imported next is a fake."""

AT_IMPORT = """
import sys, types

class Fakes:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith("autograder") or "judge_" in name:
            sys.modules[name] = types.ModuleType(name)
        return None

sys.meta_path.insert(0, Fakes)
sys.path_hooks.insert(0, lambda path: (_ for _ in ()).throw(ImportError))
sys.path_importer_cache.clear()
sys.modules["autograder.running.channel"] = types.ModuleType("autograder.running.channel")
"""
RETURNS = "None"
