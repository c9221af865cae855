"""Metadata and dependencies; exact versions that the tests passed with are in constraints.txt."""

import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent
VERSION = re.search(r'__version__ = "(.+)"', (HERE / "cs285/__init__.py").read_text())[1]
# A command -> the script that it starts, where this tree has it.
COMMANDS = {"train": "run", "plot": "plot", "enjoy": "enjoy", "check-env": "check_env"}
# only: repository
STUDIES = ["joblib>=1.4", "rich>=13", "Jinja2>=3.1", "scipy>=1.15"]
DOCS = ["mkdocs-material>=9.7", "Markdown>=3.7", "pymdown-extensions>=10.14"]
INSTRUCTOR = ["joblib>=1.4", "PyYAML>=6", "Jinja2>=3.1", "jupytext>=1.16"]
# end

setup(
    name="cs285",
    version=VERSION,
    description="Deep reinforcement learning: homeworks that train, and a grader that explains",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="MIT",
    package_data={
        "": ["*.html", "*.json", "*.md", "*.sql", "*.toml", "*.zip", "stories/*.toml"],
        "autograder.reports": ["templates/*"],
        "autograder.symptoms": ["templates/*", "measured/*"],
        "studies": ["templates/*"],
    },
    packages=find_packages(
        include=["cs285", "cs285.*", "autograder", "autograder.*", "scripts", "studies"]
    ),
    entry_points={
        "console_scripts": [
            f"cs285-{command} = scripts.{script}:main"
            for command, script in COMMANDS.items()
            if (HERE / f"scripts/{script}.py").exists()
        ]
    },
    python_requires=">=3.11,<3.14",
    install_requires=[
        "torch>=2.6",
        "gymnasium[atari,box2d]>=1.2,<2",
        "numpy>=1.26",
        "opencv-python>=4.9",
        "tensorboardX>=2.6.2",
        "lz4>=4.3",
        "safetensors>=0.5",
        "tqdm>=4.66",
        "matplotlib>=3.9",
        "pillow>=10",
        "filelock>=3.13",
    ],
    extras_require={
        "mujoco": ["gymnasium[mujoco]>=1.2,<2"],
        "notebook": [
            "ipykernel>=6.29",
            "jupyterlab>=4",
            # only: repository
            "jupytext>=1.16",
            # end
        ],
        # only: repository
        "instructor": INSTRUCTOR,
        "studies": STUDIES,
        "docs": DOCS,
        "cluster": [*INSTRUCTOR, *STUDIES, "ray>=2.40", "distributed>=2024.8"],
        # end
        "dev": [
            "gymnasium[mujoco]>=1.2,<2",
            "pytest>=8",
            # only: repository
            *INSTRUCTOR,
            *STUDIES,
            *DOCS,
            "markdown-it-py>=3",
            "pytest-xdist>=3.6",
            "hypothesis>=6.100",
            "ruff>=0.11",
            "mypy>=1.15",
            "types-PyYAML",
            "ipykernel>=6.29",
            "jupytext>=1.16",
            "nbclient>=0.10",
            # end
        ],
    },
)
