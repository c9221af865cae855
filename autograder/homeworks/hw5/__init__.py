"""Homework 5: PPO and TRPO."""
