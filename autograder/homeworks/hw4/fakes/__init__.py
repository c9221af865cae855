"""What stands for other parts where a blank of homework 4 is probed."""
