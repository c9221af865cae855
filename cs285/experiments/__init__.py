"""One module an algorithm: from settings to environments, agent and trainer."""
