"""Hands in a conftest.py, a pytest.ini and plugins that turn failures into passes."""

from tests.attacks.shadowing._names import BODIES, SAYS  # noqa: F401

FILES = {
    "conftest.py": "def pytest_runtest_makereport(item, call):\n    call.excinfo = None\n",
    "pytest.ini": "[pytest]\naddopts = -p conftest\n",
    "cs285/conftest.py": "import os\nos._exit(0)\n",
    "setup.cfg": "[tool:pytest]\naddopts = --co\n",
    "tox.ini": "[pytest]\naddopts = --co\n",
}
