"""Homework 3: DQN and actor-critic."""
