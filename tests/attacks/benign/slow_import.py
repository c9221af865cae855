"""Takes a second to import."""

AT_IMPORT = {"critics/bootstrapped_continuous_critic.py": "import time; time.sleep(1)"}
