"use strict";
const page = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
const make = (tag, text, parent, name) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  if (parent) parent.append(made);
  return made;
};
const SVG = "http://www.w3.org/2000/svg";
const draw = (tag, attributes, parent, text) => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
};
// Texts of the project have code in backticks; nothing else in them is markup.
const prose = (text, parent) => {
  text.split("`").forEach((part, i) => i % 2 ? make("code", part, parent) : parent.append(part));
  return parent;
};
const minus = text => text.replace("-", "−");
const number = value => {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : Number.isNaN(value) ? "none" : "−∞";
  const size = Math.abs(value);
  if (size >= 1e5 || (size > 0 && size < 1e-3)) return minus(value.toExponential(1));
  return minus(String(+value.toPrecision(4)));
};
const signed = value => Math.abs(value) < 5e-4 ? "0" : (value > 0 ? "+" : "") + number(value);
const tick = value => {
  const size = Math.abs(value);
  for (const [unit, letter] of [[1e6, "M"], [1e3, "k"]]) if (size >= unit) return minus(+(value / unit).toPrecision(3) + letter);
  return minus(String(+value.toPrecision(3)));
};
const shade = (value, most) => Math.abs(value) < 5e-4 ? "" : `color-mix(in srgb, var(--${value > 0 ? "up" : "down"}) ${15 + 45 * Math.min(1, Math.abs(value) / most)}%, var(--card))`;

// Beside the handout's pages: links to them, and their choice of light or dark.
if (page.links) {
  const bar = make("nav");
  document.body.prepend(bar);
  for (const [text, address] of page.links) make("a", text, bar).href = address;
  try {
    const chosen = JSON.parse(localStorage.getItem(new URL("..", location).pathname + ".__palette"));
    if (chosen) document.documentElement.style.colorScheme = chosen.color.scheme === "slate" ? "dark" : "light";
  } catch { /* a browser that keeps nothing follows the system */ }
}

// A table of numbers; cells that differ from `other` are outlined.
function cells(parent, heads, rows, names, other, most, text = signed) {
  const table = make("table", undefined, make("div", undefined, parent, "scroll"));
  table.parentNode.tabIndex = 0;
  const top = make("tr", undefined, make("thead", undefined, table));
  make("th", "", top);
  for (const head of heads) make("th", head, top);
  const body = make("tbody", undefined, table);
  rows.forEach((row, i) => {
    const line = make("tr", undefined, body);
    make("th", names[i], line).scope = "row";
    row.forEach((value, j) => {
      const cell = make("td", text(value), line);
      cell.style.background = shade(value, most);
      if (other && Math.abs(value - other[i][j]) > Math.max(5e-4, .02 * Math.abs(other[i][j]))) cell.className = "apart";
    });
  });
  return table;
}
const turned = rows => rows[0].map((_, j) => rows.map(row => row[j]));
function dependence(parent, found) {
  parent.replaceChildren();
  const most = Math.max(...found.right.flat().map(Math.abs), ...found.yours.flat().map(Math.abs)) || 1;
  const two = make("div", undefined, parent, "two"), heads = found.rows.map(row => `row ${row}`);
  for (const [name, title, other] of [["yours", "with the mistake", "right"], ["right", "right", null]]) {
    const box = make("div", undefined, two, "turn");
    make("b", title, box, name === "yours" ? "yours" : "ours");
    cells(box, heads, turned(found[name]), found.inputs, other && turned(found[other]), most);
  }
}

// Curves of all seeds, those of the right code beside them. `shown` names the runs.
function curves(svg, learning, column, title, shown) {
  svg.replaceChildren();
  const W = 460, H = 230, L = 50, R = 10, T = 24, B = 30;
  const lines = shown.flatMap(([name, colour]) => learning.runs[name].filter(run => run.columns).map(run => [run.columns[column], colour]));
  const points = lines.flatMap(([line]) => line), bound = column === "Q_Mean" ? learning.bound : null;
  if (!points.length) { make("text", "", svg); return; }
  const last = Math.max(...points.map(p => p[0]));
  let low = Math.min(...points.map(p => p[1]), bound ? 0 : Infinity), high = Math.max(...points.map(p => p[1]), bound || -Infinity);
  const log = low >= 0 && high > 1000 * (bound || Math.abs(low) || 1) && high > 1000;
  const X = x => L + (W - L - R) * x / last;
  let Y, ticks = [];
  if (log) {
    const b = Math.ceil(Math.log10(high));
    Y = y => H - B - (H - T - B) * Math.log10(Math.max(y, .1) * 10) / (b + 1);
    for (let p = 0; p <= b; p += Math.ceil(b / 4)) ticks.push(10 ** p);
  } else {
    const room = .05 * (high - low || 1);
    low -= room; high += room;
    Y = y => H - B - (H - T - B) * (y - low) / (high - low);
    const rough = (high - low) / 4, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 2.5, 5, 10].find(t => t * power >= rough) * power;
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) ticks.push(v);
  }
  draw("text", { x: L, y: 13, class: "title" }, svg, title + (log ? ", logarithmic" : ""));
  for (const v of ticks) {
    draw("line", { x1: L, x2: W - R, y1: Y(v), y2: Y(v), class: "grid-line" }, svg);
    draw("text", { x: L - 6, y: Y(v) + 4, "text-anchor": "end" }, svg, tick(Math.abs(v) < 1e-9 ? 0 : v));
  }
  for (const share of [0, .5, 1]) draw("text", { x: X(share * last), y: H - 12, "text-anchor": ["start", "middle", "end"][2 * share] }, svg, tick(share * last) + (share === .5 ? ` ${learning.unit}` : ""));
  if (bound) {
    draw("line", { x1: L, x2: W - R, y1: Y(bound), y2: Y(bound), class: "bound" }, svg);
    draw("text", { x: W - R, y: Y(bound) - 4, "text-anchor": "end" }, svg, `the most that is possible: ${number(bound)}`);
  }
  for (const [line, colour] of lines) draw("polyline", { points: line.map(([x, y]) => `${X(x).toFixed(1)},${Y(y).toFixed(1)}`).join(" "), style: `fill: none; stroke: var(--${colour}); stroke-width: 1.8; stroke-linejoin: round` }, svg);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", title);
}
function spark(parent, runs, column, colour) {
  const lines = runs.filter(run => run.columns).map(run => run.columns[column]), points = lines.flat();
  const svg = draw("svg", { viewBox: "0 0 150 34", "aria-hidden": "true" }, parent);
  if (!points.length) return;
  const low = page.learning.span[0], high = page.learning.span[1], last = Math.max(...points.map(p => p[0]));
  for (const line of lines) draw("polyline", { points: line.map(([x, y]) => `${(2 + 146 * x / last).toFixed(1)},${(32 - 30 * (y - low) / (high - low || 1)).toFixed(1)}`).join(" "), style: `fill: none; stroke: var(--${colour}); stroke-width: 1.5` }, svg);
}
