"""A zip whose members climb out of the folder that it is unpacked in."""

from tests.attacks.archives._writing import as_zip as hand_in  # noqa: F401

EXPECT = "blank"
FILES = {
    "../../../../../../../../../../tmp/slipped-zip": "x",
    "cs285/../../../slipped-zip": "x",
    "../slipped-zip/cs285/agents/dqn_agent.py": "raise SystemExit(0)",
}
