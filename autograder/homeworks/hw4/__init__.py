"""Homework 4: off-policy actor-critic for continuous actions."""
