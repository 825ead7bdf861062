// Figures over time. Lines differ in dash and shade, never in hue alone; what they are at stands beside them in words.

import { h, s, text, keyed } from "./dom.js";
import { count, bytes, perSecond } from "./format.js";

/* global uPlot */

const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2], [1, 4]];
const LEGEND_MAX = 12;
const BINARY = Array.from({ length: 44 }, (none, power) => 2 ** power);
const DECIMAL = Array.from({ length: 36 }, (none, index) => [1, 2, 5][index % 3] * 10 ** Math.floor(index / 3));

/** Steps of times, which are shown in whole seconds. */
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];

const CHARTS = [
  { series: "delivered", title: "Messages delivered", unit: "per second", format: count, sum: true },
  { series: "out", title: "Sent over links", unit: "per second", format: bytes, sum: true },
  { series: "unstable", title: "Kept until all have it", unit: "in memory", format: bytes, sum: true },
  { series: "repairs", title: "Repairs", unit: "packets per second", format: count, sum: true },
];

/** Points of the last minutes, for all charts. */
export class History {
  constructor() {
    this.names = ["delivered", "out", "unstable", "repairs"];
    this.points = [];
    this.max = 600;
  }

  load(document) {
    this.names = document.series;
    this.points = document.points.map(([at, members]) => ({ at, members }));
    // Where nobody has looked for long, lines are broken.
    const step = document.stepMillis ?? 0;
    if (step > 5_000) {
      this.points = this.points.flatMap((point, index) => index && point.at - this.points[index - 1].at > 2.5 * step
        ? [{ at: this.points[index - 1].at + step, members: {} }, point] : [point]);
    }
  }

  add(model) {
    const last = this.points.at(-1);
    if (last && model.at - last.at < 900) return false;
    const members = {};
    for (const member of model.members) {
      if (member.state === "answers") members[member.name] = this.names.map((name) => member[name] ?? null);
    }
    this.points.push({ at: model.at, members });
    if (this.points.length > this.max) this.points.shift();
    return true;
  }

  members() {
    const names = new Set();
    for (const point of this.points) for (const name of Object.keys(point.members)) names.add(name);
    return [...names].sort();
  }
}

/** Spans that charts may have: the last minutes, as they are kept here, and longer ones, which the server has. */
const SPANS = [["recent", "Minutes"], ["hours", "2 hours"], ["day", "A day"]];
const LONG_AGAIN_MILLIS = 15_000;

export class Charts {
  constructor(history) {
    this.history = history;
    this.span = "recent";
    this.grid = h("div", { class: "charts" });
    this.chips = h("fieldset", { class: "chips" }, h("legend", { class: "unseen" }, "Time span"), SPANS.map(([span, words]) =>
      h("label", {}, h("input", { type: "radio", name: "span", value: span, checked: span === "recent", onchange: () => this.choose(span) }), h("span", {}, words))));
    this.element = h("section", { class: "over-time", "aria-label": "Figures over time" },
      h("div", { class: "card-head" }, h("h2", {}, "Figures over time"), this.chips), this.grid);
    this.charts = CHARTS.map((definition, index) => new Chart(definition, index));
    this.grid.append(...this.charts.map((chart) => chart.element));
    this.observer = new ResizeObserver(() => this.charts.forEach((chart) => chart.resize()));
    this.observer.observe(this.grid);
  }

  async choose(span) {
    this.span = span;
    clearTimeout(this.timer);
    if (span === "recent") {
      this.long = null;
      this.show();
      return;
    }
    try {
      const response = await fetch("/api/history?span=" + span);
      if (this.span !== span || this.isClosed) return;
      if (response.ok) {
        this.long = new History();
        this.long.load(await response.json());
        this.show();
      }
    } catch {
      // The server does not answer; it may come back.
    }
    if (this.span === span && !this.isClosed) this.timer = setTimeout(() => this.choose(span), LONG_AGAIN_MILLIS);
  }

  show() {
    if (this.span !== "recent" && !this.long) return;
    const history = this.long ?? this.history;
    const names = history.members();
    this.charts.forEach((chart) => chart.show(history, names));
  }

  /** Colours have changed. */
  restyle() {
    this.charts.forEach((chart) => chart.forget());
    this.show();
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.observer.disconnect();
    this.charts.forEach((chart) => chart.forget());
  }
}

/** A card with the lines of one figure. */
export class Chart {
  constructor(definition, index) {
    this.definition = definition;
    this.now = h("p", { class: "now" }, h("span", {}, "–"), h("small", {}, definition.unit));
    this.legend = h("ul", { class: "legend" });
    this.place = h("div", { class: "plot", "aria-hidden": "true" });
    this.element = h("section", { class: "card chart", "aria-labelledby": "chart-" + index },
      h("h2", { id: "chart-" + index }, definition.title), this.now, this.place, this.legend);
    this.plot = null;
    this.names = "";
  }

  show(history, names) {
    const series = history.names.indexOf(this.definition.series);
    const times = history.points.map((point) => point.at / 1000);
    const lines = names.map((name) => history.points.map((point) => point.members[name]?.[series] ?? null));
    this.data = [times, ...lines];
    const key = names.join("\u0000");
    if (!this.plot || key !== this.names) {
      this.forget();
      this.names = key;
      if (times.length > 1 && this.place.clientWidth) this.plot = this.make(names);
    } else {
      this.plot.setData(this.data);
    }
    this.tell(names, null);
  }

  make(names) {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => resolve(this.element, name);
    const shades = ["--accent", "--ink", "--ink-3", "--accent", "--ink-2", "--ink"].map(colour);
    const font = `11px ${style.fontFamily || "system-ui"}`;
    const axis = { stroke: colour("--ink-3"), font: "11px 'Inter Console', system-ui, sans-serif", ticks: { show: false }, gap: 6 };
    this.shades = shades;
    return new uPlot({
      width: this.place.clientWidth,
      height: 148,
      padding: [10, 10, 0, 0],
      cursor: { sync: { key: "tutti" }, points: { size: 6 }, drag: { x: false, y: false }, y: false },
      legend: { show: false },
      scales: { x: { time: true }, y: { range: (plot, min, max) => (this.definition.range ?? fromZero)(min, max, this.definition.format) } },
      axes: [
        { ...axis, size: 24, space: 70, incrs: SECONDS, grid: { show: false }, values: (plot, splits) => splits.map((at) => clock(at)) },
        { ...axis, size: 58, space: 34, incrs: this.definition.incrs ?? (this.definition.format === bytes ? BINARY : DECIMAL), grid: { stroke: colour("--line"), width: 1 }, values: (plot, splits) => splits.map((value) => this.definition.format(value)) },
      ],
      series: [{}, ...names.map((name, index) => ({
        label: name, stroke: shades[index % shades.length], width: 1.6, dash: DASHES[index % DASHES.length],
        points: { show: false }, spanGaps: false,
      }))],
      hooks: { setCursor: [(plot) => this.tell(names, plot.cursor.idx ?? null)] },
    }, this.data, this.place);
  }

  /** The values at the cursor, or the last ones. */
  tell(names, index) {
    const { format, sum } = this.definition;
    const at = index ?? this.data[0].length - 1;
    const values = names.map((name, line) => ({ name, line, value: this.data[line + 1]?.[at] })).filter((each) => each.value !== null && each.value !== undefined);
    text(this.now.firstChild, values.length ? format(values.reduce((total, each) => total + each.value, 0)) : "–");
    text(this.now.lastChild, (sum && values.length > 1 ? "all, " : "") + this.definition.unit + (index === null ? "" : ", " + clock(this.data[0][at])));
    keyed(this.legend, values.slice(0, LEGEND_MAX), (each) => each.name, (each) => h("li", {}, sample(each.line), h("span", {}), h("b", {})), (item, each) => {
      text(item.children[1], each.name);
      text(item.children[2], format(each.value));
    });
  }

  resize() {
    if (this.plot && this.place.clientWidth && this.plot.width !== this.place.clientWidth) {
      this.plot.setSize({ width: this.place.clientWidth, height: 148 });
    }
  }

  forget() {
    this.plot?.destroy();
    this.plot = null;
    this.names = "";
  }
}

function fromZero(min, max, format) {
  return [0, Math.max(max * 1.12, format === bytes ? 1024 : 1)];
}

function sample(line) {
  const shades = ["--accent", "--ink", "--ink-3", "--accent", "--ink-2", "--ink"];
  const mark = s("line", { x1: 1, y1: 4, x2: 21, y2: 4, "stroke-width": 1.8, "stroke-dasharray": DASHES[line % DASHES.length].join(" ") || null });
  mark.style.stroke = `var(${shades[line % shades.length]})`;
  return s("svg", { width: 22, height: 8, "aria-hidden": "true" }, mark);
}

/** The colour that a property stands for now: a canvas knows no properties. */
function resolve(element, property) {
  const before = element.style.color;
  element.style.color = `var(${property})`;
  const colour = getComputedStyle(element).color;
  element.style.color = before;
  return colour;
}

function clock(seconds) {
  const date = new Date(seconds * 1000);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}
