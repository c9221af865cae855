"""The two shell scripts that Gradescope runs."""

import shlex

SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, when the autograder is built: Python with what the homework needs.
set -euo pipefail

base="${{AUTOGRADER_BASE:-/autograder}}"
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends python3 python3-venv libgl1 libglib2.0-0
python3 -m venv "$base/venv"  # not in source/, which nobody but root may enter
"$base/venv/bin/pip" install --no-cache-dir{index} \\
    --constraint "$base/source/constraints.txt" --requirement "$base/source/requirements.txt"
"""

RUN_AUTOGRADER = """\
#!/usr/bin/env bash
# Gradescope runs this for every submission.
base="${AUTOGRADER_BASE:-/autograder}"
python="${AUTOGRADER_PYTHON:-$base/venv/bin/python}"
umask 022
cd "$base/source/grader" || exit 1
# A clean environment: nothing of the harness's own is seen by the grader, let alone by a student.
exec env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root LANG=C.UTF-8 TMPDIR="${TMPDIR:-/tmp}" \\
    PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \\
    "$python" -s -m autograder.gradescope.run "$base"
"""


def setup_script(index: str | None) -> str:
    """Returns setup.sh.

    Args:
        index: Of packages, besides the usual one; None: no other.
    """
    return SETUP.format(index=f" \\\n    --extra-index-url {shlex.quote(index)}" if index else "")
