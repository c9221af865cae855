"""The programs: each is started by its path, or by a command that pip installs."""
