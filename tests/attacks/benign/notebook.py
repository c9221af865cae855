"""Hands in notebooks, runs, videos and a report beside the code."""

FILES = {
    "solution.ipynb": '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    "cs285/scratch.ipynb": "{}",
    "report.pdf": b"%PDF-1.4",
    "data/hw3_q1/log.csv": "a,b\n1,2\n",
    "data/hw3_q1/video.mp4": bytes(2**20),
    "setup.py": "from setuptools import setup\nsetup()\n",
    ".git/HEAD": "ref: refs/heads/main\n",
}
