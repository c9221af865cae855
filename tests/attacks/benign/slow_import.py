"""Takes a second to import."""

EXPECT = "passed"
SOLVED = True
AT_IMPORT = {"critics/bootstrapped_continuous_critic.py": "import time; time.sleep(1)"}
