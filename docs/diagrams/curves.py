"""Functions and numbers as curves: each point is computed here, none is drawn by hand."""

from __future__ import annotations

import math

from svg import Picture, Plot, steps

CLIP = 0.2


def target_network() -> Picture:
    """A weight, its hard copy and its soft copy while the weight moves."""
    p = Picture(
        400,
        "A target network is the past of the network that it copies: in steps, or "
        "smoothly with a lag.",
    )
    count, every, tau = 240, 60, 0.04
    weight = [math.sin(t / 70) + 0.16 * math.sin(t / 5.3) * math.cos(t / 11) for t in range(count)]
    hard = [weight[t // every * every] for t in range(count)]
    soft = [weight[0]]
    for value in weight[1:]:
        soft.append((1 - tau) * soft[-1] + tau * value)
    rows = [
        ("copied every *N* updates (DQN)", hard, 34),
        ("followed by a share τ (DDPG, TD3, SAC)", soft, 218),
    ]
    for title, target, top in rows:
        p.text((12, top - 14), title, anchor="start", bold=True)
        plot = Plot(p, (12, top), (396, 120), (0, count), (-0.75, 1.3))
        plot.axes("updates")
        plot.curve(enumerate(weight), "blue", 1.8)
        plot.curve(enumerate(target), "green", 3)
    p.text((232, 326), "it lags by about 1/τ updates", colour="green")
    for x, colour, words in ((12, "blue", "the network"), (150, "green", "its target")):
        p.line([(x, 368), (x + 28, 368)], colour, 3)
        p.text((x + 34, 372), words, anchor="start", colour=colour)
    p.text((12, 394), "The target is no second opinion: it is the past.", anchor="start")
    return p


def ppo_clip() -> Picture:
    """PPO's objective of one sample, over the ratio, for either sign of its advantage."""
    p = Picture(
        326,
        "PPO's objective over the ratio: for a positive advantage it is flat above "
        "1 + epsilon, for a negative one below 1 - epsilon.",
    )
    for advantage, left in ((1, 12), (-1, 222)):
        low, high = (0, 1.6) if advantage > 0 else (-1.6, 0)
        plot = Plot(p, (left, 76), (186, 170), (0.4, 1.6), (low, high))
        zero = 0.0
        ratios = steps(0.4, 1.6, 121)
        clipped = [max(1 - CLIP, min(1 + CLIP, ratio)) for ratio in ratios]
        worth = [min(r * advantage, c * advantage) for r, c in zip(ratios, clipped, strict=True)]
        flat = (1 + CLIP, 1.6) if advantage > 0 else (0.4, 1 - CLIP)
        corners = [
            plot.place(x, y)
            for x, y in ((flat[0], low), (flat[1], low), (flat[1], high), (flat[0], high))
        ]
        p.polygon(corners, "faint", 0.55)
        plot.axes(zero=zero)
        plot.curve([(r, r * advantage) for r in ratios], "line", 1.6, "5 4")
        plot.curve(zip(ratios, worth, strict=True), "blue", 3.2)
        for x, words in ((1 - CLIP, "1−ε"), (1, "1"), (1 + CLIP, "1+ε")):
            at, (_, y) = plot.place(x, zero), plot.place(x, zero)
            p.line([(at[0], y - 4), (at[0], y + 4)], "line", 1.4)
            p.text((at[0], y + 18 if advantage > 0 else y - 10), words)
        p.dot(plot.place(1, advantage), 5, "blue")
        sign = ">" if advantage > 0 else "<"
        p.text((left + 93, 22), f"*A* {sign} 0", bold=True, size=14.5)
        p.text(
            (left + 93, 42),
            "was better than expected" if advantage > 0 else "was worse than expected",
            colour="soft",
        )
    p.text((167, 196), "no", "gradient")
    p.text((253, 216), "no", "gradient", colour="ink")
    p.text((210, 286), "across: the ratio ρ of new and old probability")
    p.line([(12, 308), (44, 308)], "blue", 3.2)
    p.text((50, 312), "min(ρ *A*, clip(ρ) *A*)", anchor="start")
    p.line([(232, 308), (264, 308)], "line", 1.6, "5 4")
    p.text((270, 312), "ρ *A*, without clip", anchor="start")
    return p


def trust_region() -> Picture:
    """Gradient and natural gradient in a region that is an ellipse."""
    p = Picture(
        352,
        "The trust region is an ellipse of equal divergence; the natural gradient "
        "goes to the point of its edge where the surrogate is highest.",
    )
    a, b, c = 2.6, -0.8, 0.9  # H of two weights
    g, delta = (1.0, 0.55), 0.5
    det = a * c - b * b
    x = ((c * g[0] - b * g[1]) / det, (a * g[1] - b * g[0]) / det)
    length = math.sqrt(2 * delta / (x[0] * g[0] + x[1] * g[1]))  # x H x = x g
    step = (length * x[0], length * x[1])
    scale, middle = 105, (140.0, 204.0)

    def place(u: float, v: float) -> tuple[float, float]:
        return middle[0] + scale * u, middle[1] - scale * v

    size = math.hypot(*g)
    across = (-g[1] / size, g[0] / size)
    for level in (-1.6, -0.8, 0, 0.8, 1.6, 2.4):
        foot = (g[0] * level / size**2, g[1] * level / size**2)
        ends = [place(foot[0] + across[0] * t, foot[1] + across[1] * t) for t in (-6, 6)]
        p.line(_within(ends), "faint", 1.4)
    border = []
    for angle in steps(0, 2 * math.pi, 121):
        u, v = math.cos(angle), math.sin(angle)
        far = math.sqrt(2 * delta / (a * u * u + 2 * b * u * v + c * v * v))
        border.append(place(far * u, far * v))
    p.polygon(border, "green-fill", 0.75)
    p.line(border, "green", 2)
    u, v = g[0] / size, g[1] / size
    far = math.sqrt(2 * delta / (a * u * u + 2 * b * u * v + c * v * v))
    p.arrow(place(0, 0), place(far * u, far * v), colour="orange", width=2.4)
    p.arrow(place(0, 0), place(*step), colour="blue", width=2.8)
    for share in (0.8, 0.64):
        p.dot(place(share * step[0], share * step[1]), 4, "blue")
    p.dot(place(0, 0), 5)
    at = place(*step)
    p.text(
        (at[0] + 12, at[1] - 12),
        "natural gradient,",
        "up to the edge",
        anchor="start",
        colour="blue",
    )
    at = place(far * u, far * v)
    p.text((at[0] + 8, at[1] + 4), "plain gradient", anchor="start", colour="orange")
    p.text((middle[0] - 10, middle[1] + 20), "old weights", anchor="end")
    p.text((12, 24), "grey: lines of equal surrogate", anchor="start", colour="soft")
    p.text((12, 44), "green: KL = δ, the edge of the region", anchor="start", colour="green")
    at = place(0.72 * step[0], 0.72 * step[1])
    p.text(
        (at[0] + 34, at[1] + 6),
        "dots: the line search",
        "tries shorter steps",
        anchor="start",
        colour="blue",
    )
    return p


def _within(ends: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Cuts a line to the picture's inner part."""
    (x0, y0), (x1, y1) = ends
    kept = [
        t
        for t in steps(0, 1, 1201)
        if 8 <= x0 + t * (x1 - x0) <= 412 and 60 <= y0 + t * (y1 - y0) <= 346
    ]
    at = (min(kept), max(kept)) if kept else (0, 0)
    return [(x0 + t * (x1 - x0), y0 + t * (y1 - y0)) for t in at]


def tanh_gaussian() -> Picture:
    """A Gaussian before and after it was squashed into the bounds."""
    p = Picture(
        330,
        "A squashed Gaussian: tanh moves what lies far out close to the bounds, so "
        "the density there rises, and a wide one has two peaks.",
    )
    widths = ((0.5, "blue", ""), (1.4, "purple", "7 4"))
    mean = 0.3

    def normal(u: float, std: float) -> float:
        return math.exp(-((u - mean) ** 2) / (2 * std**2)) / (std * math.sqrt(2 * math.pi))

    before = Plot(p, (12, 46), (186, 170), (-4, 4), (0, 1.7))
    after = Plot(p, (222, 46), (186, 170), (-1.12, 1.12), (0, 1.7))
    before.axes()
    after.axes()
    for std, colour, dash in widths:
        before.curve([(u, normal(u, std)) for u in steps(-4, 4, 161)], colour, 2.6, dash)
        points = []
        for action in steps(-0.9995, 0.9995, 400):
            density = normal(math.atanh(action), std) / (1 - action**2)
            points.append((action, density))
        after.curve([point for point in points if point[1] < 1.7], colour, 2.6, dash)
    for x in (-1, 1):
        after.curve([(x, 0), (x, 1.7)], "line", 1.2, "3 3")
    for plot, ticks in ((before, (-3, 0, 3)), (after, (-1, 0, 1))):
        for x in ticks:
            plot.tick(x, str(x).replace("-", "−"))
    p.text((105, 24), "*u*, as the network draws it", bold=True)
    p.text((315, 24), "*a* = tanh *u*, the action", bold=True)
    p.line([(12, 262), (44, 262)], "blue", 2.6)
    p.text((50, 266), "narrow: std 0.5", anchor="start")
    p.line([(222, 262), (254, 262)], "purple", 2.6, "7 4")
    p.text((260, 266), "wide: std 1.4", anchor="start")
    p.box((12, 282), (396, 40), "log π(*a*) = log *N*(*u*) − log(1 − tanh^{2} *u*)")
    return p


def bandits() -> Picture:
    """What UCB1 would choose, and which plays each rule remembers."""
    p = Picture(
        370,
        "UCB1 plays the member with the largest mean plus bonus: here the one that "
        "was hardly tried. SSBAS and ESBAS forget older plays.",
    )
    members = [("A", 40, 0.62, "blue"), ("B", 25, 0.55, "green"), ("C", 5, 0.45, "purple")]
    xi, total = 0.25, sum(n for _, n, _, _ in members)
    plot = Plot(p, (128, 36), (270, 160), (0.3, 1.0), (-0.3, 3))
    plot.axes("mean score, and bonus on top of it")
    best = max(mean + math.sqrt(xi * math.log(total) / n) for _, n, mean, _ in members)
    for row, (name, plays, mean, colour) in enumerate(members):
        index = mean + math.sqrt(xi * math.log(total) / plays)
        (x0, y), (x1, _) = plot.place(mean, 2.5 - row), plot.place(index, 2.5 - row)
        p.text((12, y + 5), f"{name}: {plays} plays", anchor="start", bold=index == best)
        p.line([(x0, y), (x1, y)], colour, 7)
        p.dot((x0, y), 7, colour)
        p.text((x0 - 12, y + 5), f"{mean:.2f}", anchor="end")
        p.text(
            (x1 + 6, y - 8 if index == best else y + 5),
            f"{index:.2f}",
            anchor="end" if index == best else "start",
            bold=index == best,
        )
        if index == best:
            p.text((x0 + 16, y + 22), "the largest: it plays next", anchor="start", colour=colour)
    p.text((12, 22), "UCB1: who is uncertain may be good", anchor="start", bold=True)
    plays = "ABCABAABBAACAABAAABA"
    p.text((12, 242), "Which plays a rule counts", anchor="start", bold=True)
    colours = {name: colour for name, _, _, colour in members}
    for i, name in enumerate(plays):
        p.cell((12 + 19.8 * i, 254), (17.5, 26), name, colours[name])
    spans = [
        ("UCB1: all", 0, "ink"),
        ("SSBAS: the newer half", 10, "ink"),
        ("ESBAS: since its epoch began", 15, "ink"),
    ]
    for row, (words, first, colour) in enumerate(spans):
        y, x = 298 + 28 * row, 12 + 19.8 * first
        p.line([(x, y), (406, y)], colour, 2)
        p.text(
            (x if first == 0 else x - 8, y + 16 if first == 0 else y + 5),
            words,
            anchor="start" if first == 0 else "end",
        )
    return p


PICTURES = {
    "target_network": target_network,
    "ppo_clip": ppo_clip,
    "trust_region": trust_region,
    "tanh_gaussian": tanh_gaussian,
    "bandits": bandits,
}
