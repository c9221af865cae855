"""Draws boxes, arrows, curves and words as an SVG file that is light on light pages, dark on dark.

Every picture is 420 units wide, and no word in it is smaller than 13: on a telephone of 400 pixels
one can read it. Colours are Okabe and Ito's, which differ under any common colour blindness.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Sequence

WIDTH = 420
SMALL, NORMAL = 13, 14.5
LINE = 17  # units from one line of words to the next
Point = tuple[float, float]
# Name -> (light, dark). Of "blue" a box has the fill "blue-fill".
COLOURS = {
    "ink": ("#1f2328", "#e6edf3"),
    "soft": ("#59636e", "#a3adb8"),
    "line": ("#7d8792", "#8b949e"),
    "faint": ("#d5dae0", "#3a424c"),
    "plain-fill": ("#f3f5f7", "#22272e"),
    "blue": ("#0072b2", "#6cbcf0"),
    "blue-fill": ("#dfeefa", "#12314a"),
    "orange": ("#b84e00", "#ff9a57"),
    "orange-fill": ("#fdebdd", "#4a2810"),
    "green": ("#007a5a", "#4cd0a5"),
    "green-fill": ("#dcf3ea", "#0e3a2c"),
    "purple": ("#a64d82", "#e9a3cc"),
    "purple-fill": ("#f8e6f0", "#45253a"),
}
MARKUP = re.compile(r"\*(?P<italic>[^*]+)\*|_\{(?P<sub>[^}]*)\}|\^\{(?P<sup>[^}]*)\}")


def variables() -> str:
    """Returns the part of a style sheet that gives each colour its value, light or dark."""
    light = "".join(f"--{name}:{one};" for name, (one, _) in COLOURS.items())
    dark = "".join(f"--{name}:{one};" for name, (_, one) in COLOURS.items())
    return f"svg{{{light}}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}"


def style() -> str:
    """Returns the style sheet: a class for each colour of lines and of fills."""
    rules = [variables()]
    rules += [f".s-{name}{{stroke:var(--{name})}}" for name in COLOURS]
    rules += [f".f-{name}{{fill:var(--{name})}}" for name in COLOURS]
    rules += ["text{font-family:system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}"]
    rules += [".i{font-family:'STIX Two Text','Times New Roman',Tinos,serif;font-style:italic}"]
    rules += [".m{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"]
    return "".join(rules)


def number(value: float) -> str:
    """Returns a coordinate in few characters."""
    return f"{value:.1f}".removesuffix(".0")


def marked_up(words: str) -> str:
    """Returns words as SVG: `*x*` is in italics, `_{t}` is lowered and `^{2}` raised."""
    parts, end, shift = [], 0, 0
    for found in [*MARKUP.finditer(words), None]:
        plain = words[end : found.start()] if found else words[end:]
        if plain:
            parts.append(
                f'<tspan dy="{-shift}">{html.escape(plain)}</tspan>'
                if shift
                else html.escape(plain)
            )
            shift = 0
        if found:
            end, moved = found.end(), {"italic": 0, "sub": 4, "sup": -5}[str(found.lastgroup)]
            size = "" if found["italic"] else f' font-size="{SMALL - 2}"'
            css = ' class="i"' if found["italic"] or found["sub"] else ""
            inner = html.escape(found[str(found.lastgroup)])
            parts.append(f'<tspan{css}{size} dy="{moved - shift}">{inner}</tspan>')
            shift = moved
    return "".join(parts)


class Picture:
    """One drawing, made part by part; later parts lie above earlier ones."""

    def __init__(self, height: float, title: str) -> None:
        """Begins a picture.

        Args:
            height: In units, of which the width has `WIDTH`.
            title: One sentence for those who cannot see it.
        """
        self.height, self.title = height, title
        self.parts: list[str] = []

    def text(
        self,
        at: Point,
        *lines: str,
        colour: str = "ink",
        anchor: str = "middle",
        size: float = SMALL,
        bold: bool = False,
        mono: bool = False,
    ) -> None:
        """Writes lines below each other; `at` is the base of the first one."""
        look = f'class="f-{colour}{" m" if mono else ""}" font-size="{number(size)}"'
        look += f' text-anchor="{anchor}"' + (' font-weight="600"' if bold else "")
        for i, line in enumerate(lines):
            x, y = number(at[0]), number(at[1] + i * LINE)
            self.parts.append(f'<text x="{x}" y="{y}" {look}>{marked_up(line)}</text>')

    def rectangle(
        self, at: Point, size: Point, colour: str = "line", fill: str = "none", dash: str = ""
    ) -> None:
        """Draws a rectangle with round corners."""
        fill = 'fill="none"' if fill == "none" else ""
        classes = f"s-{colour}" + ("" if fill else f" f-{self._fill_of(colour)}")
        place = f'x="{number(at[0])}" y="{number(at[1])}"'
        extent = f'width="{number(size[0])}" height="{number(size[1])}" rx="6"'
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<rect {place} {extent} {fill} class="{classes}"{dashes}/>')

    @staticmethod
    def _fill_of(colour: str) -> str:
        return f"{colour}-fill" if f"{colour}-fill" in COLOURS else "plain-fill"

    def box(self, at: Point, size: Point, *lines: str, colour: str = "line") -> None:
        """Draws a filled box with centred lines, of which the first one is its name."""
        self.rectangle(at, size, colour, fill="own")
        middle = at[0] + size[0] / 2
        top = at[1] + size[1] / 2 - (len(lines) - 1) * LINE / 2 + 5
        self.text((middle, top), lines[0], size=NORMAL, bold=True)
        self.text((middle, top + LINE), *lines[1:])

    def cell(
        self, at: Point, size: Point, words: str = "", colour: str = "line", bold: bool = False
    ) -> None:
        """Draws a small filled box with one word."""
        self.rectangle(at, size, colour, fill="own")
        if words:
            self.text((at[0] + size[0] / 2, at[1] + size[1] / 2 + 5), words, bold=bold)

    def line(
        self, points: Iterable[Point], colour: str = "line", width: float = 1.5, dash: str = ""
    ) -> None:
        """Draws a line through points."""
        path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        look = f'fill="none" stroke-width="{number(width)}" stroke-linejoin="round"'
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<path d="{path}" {look} class="s-{colour}"{dashes}/>')

    def arrow(
        self, *points: Point, colour: str = "line", dash: str = "", width: float = 1.5
    ) -> None:
        """Draws a line through points with a head at the last one."""
        (x0, y0), (x1, y1) = points[-2:]
        angle = math.atan2(y1 - y0, x1 - x0)
        neck = (x1 - 7 * math.cos(angle), y1 - 7 * math.sin(angle))
        self.line([*points[:-1], neck], colour, width, dash)
        corners = [(x1, y1)]
        for side in (0.4, -0.4):
            corners.append((x1 - 10 * math.cos(angle + side), y1 - 10 * math.sin(angle + side)))
        self.polygon(corners, colour)

    def polygon(self, points: Sequence[Point], colour: str, opacity: float = 1) -> None:
        """Fills an outline."""
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        faded = f' fill-opacity="{opacity}"' if opacity < 1 else ""
        self.parts.append(f'<polygon points="{path}" class="f-{colour}"{faded}/>')

    def dot(self, at: Point, radius: float = 5, colour: str = "ink", hollow: bool = False) -> None:
        """Draws a dot."""
        look = (
            f'class="s-{colour}" fill="none" stroke-width="2"'
            if hollow
            else (f'class="f-{colour}"')
        )
        x, y = number(at[0]), number(at[1])
        self.parts.append(f'<circle cx="{x}" cy="{y}" r="{number(radius)}" {look}/>')

    def svg(self) -> str:
        """Returns the file."""
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height:g}"'
        head += f' width="560" height="{self.height * 4 / 3:g}" role="img">'
        title = f"<title>{html.escape(self.title)}</title>"
        return "\n".join([head, title, f"<style>{style()}</style>", *self.parts, "</svg>", ""])


class Plot:
    """Axes within a picture: curves in their own units."""

    def __init__(
        self,
        picture: Picture,
        at: Point,
        size: Point,
        x: tuple[float, float],
        y: tuple[float, float],
    ) -> None:
        """Places axes.

        Args:
            picture: Where.
            at: Upper left corner.
            size: Width and height.
            x: The range that the width shows.
            y: The range that the height shows.
        """
        self.picture, self.at, self.size, self.x, self.y = picture, at, size, x, y

    def place(self, x: float, y: float) -> Point:
        """Returns where a point lies in the picture."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return self.at[0] + across * self.size[0], self.at[1] + (1 - up) * self.size[1]

    def curve(
        self, points: Iterable[Point], colour: str, width: float = 2.4, dash: str = ""
    ) -> None:
        """Draws a curve."""
        self.picture.line([self.place(x, y) for x, y in points], colour, width, dash)

    def axes(self, x_label: str = "", zero: float | None = None) -> None:
        """Draws the horizontal axis at height `zero` (default: below) and its label."""
        at = self.y[0] if zero is None else zero
        ends = [self.place(self.x[0], at), self.place(self.x[1], at)]
        self.picture.line(ends, "line", 1.2)
        if x_label:
            x, y = self.at[0] + self.size[0] / 2, self.at[1] + self.size[1]
            self.picture.text((x, y + 19), x_label, colour="soft")

    def tick(self, x: float, words: str, zero: float | None = None) -> None:
        """Marks a place on the horizontal axis."""
        at = self.y[0] if zero is None else zero
        left, top = self.place(x, at)
        self.picture.line([(left, top - 3), (left, top + 3)], "line", 1.2)
        self.picture.text((left, top + 18), words, colour="soft")


def steps(low: float, high: float, count: int) -> list[float]:
    """Returns numbers with equal gaps from `low` to `high`."""
    return [low + (high - low) * i / (count - 1) for i in range(count)]
