"""Test doubles of homework 2, shared by its probes."""
