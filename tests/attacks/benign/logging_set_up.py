"""Sets up logging to a file, with a handler that formats everything."""

AT_IMPORT = """
import logging
logging.basicConfig(filename="debug.log", level=logging.DEBUG, force=True)
logging.getLogger().info("ready")
"""
BODIES = {
    "hw3.argmax.action": """
logging.debug("asked for %s", observation)
action = self.critic.qa_values(observation).argmax(axis=1)
""",
}
