"""Homework 2: policy gradients."""
