"""Homework 6: choosing algorithms."""
