"""Test doubles for homework 4's probes, and what several of them need."""
