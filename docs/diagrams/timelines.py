"""Steps in a row: what the memory keeps, how an episode ends, and where GAE's sums stop."""

from __future__ import annotations

from svg import Picture


def replay_frames() -> Picture:
    """How a memory of frames makes stacks of four."""
    p = Picture(
        338,
        "A replay memory keeps each frame once; a stack of four is put together on "
        "demand, and never reaches into the episode before.",
    )
    left, wide, top = 12, 44, 56
    p.text((left, 22), "Replay memory: each frame once", anchor="start", bold=True)
    frames = ["5", "6", "7", "1", "2", "3", "4", "5", "6"]
    for i, name in enumerate(frames):
        p.cell((left + wide * i, top), (wide - 4, 40), name, "green" if i < 3 else "blue")
    p.text((left + wide * 1.5 - 2, top - 10), "one episode", colour="green")
    p.text((left + wide * 6 - 2, top - 10), "the next episode", colour="blue")
    border = left + wide * 3 - 2
    p.line([(border, top - 26), (border, top + 50)], "orange", 2, "4 3")
    stacks = [
        ("*s* at frame 5", 140, [4, 5, 6, 7]),
        ("*s*′ of that step", 192, [5, 6, 7, 8]),
        ("*s* at frame 2", 256, [None, None, 3, 4]),
    ]
    for words, y, indices in stacks:
        p.text((left, y + 24), words, anchor="start")
        for k, index in enumerate(indices):
            name = "black" if index is None else frames[index]
            colour = "line" if index is None else "blue"
            p.cell((150 + 54 * k, y), (50, 36), name, colour)
    p.text((left, 246), "three of four frames are the same", anchor="start", colour="soft")
    p.text(
        (left, 312),
        "nothing of the episode before: places before",
        "its first frame are black",
        anchor="start",
        colour="soft",
    )
    return p


def time_limit() -> Picture:
    """How an episode ends, and what that does to a target."""
    p = Picture(
        356,
        "Terminated: nothing can follow, so the target is the reward alone. "
        "Truncated: the clock was stopped, so the next state keeps its value.",
    )
    rows = [
        (58, "orange", "terminated", "the pole falls", "*y* = *r*", "no future: *d* = 1"),
        (
            216,
            "green",
            "truncated",
            "step 200: the clock",
            "*y* = *r* + γ *V*(*s*′)",
            "*s*′ keeps its value: *d* = 0",
        ),
    ]
    for y, colour, name, why, target, reason in rows:
        p.text((12, y - 34), name, anchor="start", colour=colour, bold=True, size=14.5)
        p.text((110, y - 34), why, anchor="start")
        p.line([(16, y), (222, y)], "line", 2)
        for i in range(5):
            p.dot((24 + 44 * i, y), 6, "blue")
        if colour == "orange":
            p.line([(222, y - 14), (222, y + 14)], "orange", 4)
        else:
            p.line([(222, y - 14), (222, y + 14)], "green", 4, "4 3")
            p.line([(232, y), (404, y)], "line", 2, "3 4")
            for i in range(4):
                p.dot((248 + 44 * i, y), 6, "blue", hollow=True)
            p.text((330, y - 14), "would have gone on", colour="soft")
        p.text((200, y + 30), "*s*", colour="blue")
        if colour == "green":
            p.text((248, y + 30), "*s*′", colour="blue")
        p.box((12, y + 42), (170, 34), target, colour=colour)
        p.text((194, y + 64), reason, anchor="start")
    p.text((12, 326), "Both end the episode: the environment is reset.", anchor="start")
    p.text(
        (12, 345), "With γ = 1 a time limit counts as an end here.", anchor="start", colour="soft"
    )
    return p


def gae_masks() -> Picture:
    """GAE's two masks, over three paths of one segment."""
    p = Picture(
        348,
        "GAE has two masks: terminal takes a value out, path end stops the sum. They "
        "differ where a time limit or a full segment ends a path.",
    )
    left, wide = 126, 36
    ends = {2: ("the end", "orange"), 5: ("time limit", "green"), 7: ("full", "green")}
    p.text((12, 40), "step", anchor="start")
    for t in range(8):
        x = left + wide * t
        p.dot((x + wide / 2 - 2, 36), 6, "blue")
        if t in ends:
            words, colour = ends[t]
            p.line([(x + wide - 2, 20), (x + wide - 2, 156)], colour, 2.5, "" if t == 2 else "4 3")
            p.text((x + wide / 2 - 4, 14), words, colour=colour)
    rows = [
        (58, ("1 − terminal:", "*V*(*s*′) counts"), {2}),
        (110, ("1 − path end:", "the sum goes on"), {2, 5, 7}),
    ]
    for y, words, masked in rows:
        p.text((8, y + 15), *words, anchor="start")
        for t in range(8):
            zero = t in masked
            p.cell(
                (left + wide * t, y),
                (wide - 4, 40),
                "0" if zero else "1",
                "orange" if zero else "blue",
                bold=zero,
            )
    p.text((8, 183), "the sum,", "backwards", anchor="start")
    for first, last in ((0, 2), (3, 5), (6, 7)):
        p.arrow(
            (left + wide * last + 24, 186), (left + wide * first + 6, 186), colour="blue", width=2.5
        )
    p.text((left + wide * 4, 210), "within one path", colour="soft")
    p.box((8, 226), (404, 50), "δ = *r* + γ (1 − terminal) *V*(*s*′) − *V*(*s*)")
    p.box((8, 288), (404, 50), "*A*_{t} = δ_{t} + γ λ (1 − path end_{t}) *A*_{t+1}")
    return p


PICTURES = {
    "replay_frames": replay_frames,
    "time_limit": time_limit,
    "gae_masks": gae_masks,
}
