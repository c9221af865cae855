"""The grader: its walls, the road of a homework from handout to report, and that of the course."""

from __future__ import annotations

from svg import Picture


def sandbox() -> Picture:
    """The three walls around a student's code."""
    p = Picture(
        464,
        "Three walls around a student's code: bubblewrap, an instance for each "
        "submission, and a fork for each probe. Bytes go in, arrays come out.",
    )
    p.box(
        (8, 8),
        (404, 72),
        "The grader",
        "has the answers, and compares arrays with them;",
        "never runs a student's file",
        colour="green",
    )
    p.rectangle((8, 134), (404, 322), "line", fill="own")
    p.text((20, 157), "1  bubblewrap", anchor="start", bold=True)
    p.text(
        (20, 176),
        "no network, no other processes,",
        "a read-only system; PyTorch imported once",
        anchor="start",
    )
    p.rectangle((20, 208), (380, 236), "blue", fill="own")
    p.text((32, 231), "2  an instance for each submission", anchor="start", bold=True)
    p.text(
        (32, 250),
        "own namespaces, no capabilities, seccomp;",
        "limits: memory, processes, files, time",
        anchor="start",
    )
    p.rectangle((32, 282), (356, 150), "purple", fill="own")
    p.text((44, 305), "3  a fork for each probe", anchor="start", bold=True)
    p.text((44, 324), "killed when its time is over,", "with all its children", anchor="start")
    p.box((64, 358), (200, 62), "The student's code", "one blank, one probe", colour="orange")
    p.arrow((322, 80), (322, 376), (264, 376), width=2)
    p.arrow((264, 402), (366, 402), (366, 80), width=2, colour="orange")
    p.text((312, 112), "files, as bytes", anchor="end")
    p.text((372, 112), "arrays", anchor="start", colour="orange")
    return p


def course() -> Picture:
    """From handout to report, in commands."""
    p = Picture(
        430,
        "Release makes the handout, students check and hand in, grade judges a class "
        "in the sandbox, report writes pages, and export tables.",
    )
    rows = [
        ("release", "line", "a handout without solutions,", "tried before it is written"),
        ("check", "blue", "students fill blanks, and see", "which mistake they made"),
        ("collect", "line", "zips or folders from your", "learning platform, by name"),
        ("grade", "green", "each blank of each submission,", "in the sandbox: a gradebook"),
        ("report", "purple", "a page for the class, and", "one for each student"),
        ("export", "purple", "points for Canvas or a table;", "regrade shows who changes"),
    ]
    for i, (name, colour, *words) in enumerate(rows):
        y = 8 + 70 * i
        p.box((8, y), (130, 50), name, colour=colour)
        p.text((156, y + 21), *words, anchor="start")
        if i:
            p.arrow((73, y - 20), (73, y))
    return p


def homeworks() -> Picture:
    """Which homework leads to which."""
    p = Picture(
        376,
        "Homework 2 leads to 3. Homework 3 leads to 4, to 5 and to 6. Homework 4 leads to 6.",
    )
    p.box((85, 8), (250, 54), "2  Policy gradient", "returns, baselines, GAE", colour="blue")
    p.box((85, 100), (250, 54), "3  Q-learning, actor-critic", "values, replay, time limits")
    p.box((8, 206), (192, 54), "4  DDPG, TD3, SAC", "continuous actions", colour="green")
    p.box((220, 206), (192, 54), "5  PPO and TRPO", "steps that one can trust", colour="orange")
    p.box((120, 314), (212, 54), "6  Choosing algorithms", "bandits, regret", colour="purple")
    p.arrow((210, 62), (210, 100))
    p.arrow((130, 154), (130, 206))
    p.arrow((290, 154), (290, 206))
    p.arrow((210, 154), (210, 314))
    p.arrow((64, 260), (64, 341), (120, 341))
    return p


PICTURES = {"sandbox": sandbox, "course": course, "homeworks": homeworks}
