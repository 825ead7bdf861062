// The page of the grid: asks its mediator every two seconds, and keeps the last minutes of the numbers that it was shown.

import { h, keyed, table, text, attribute, icon } from "/assets/dom.js";
import { count, bytes, percent, duration, plural, time } from "/assets/format.js";
import { Chart } from "/assets/charts.js";
import { themes } from "/assets/theme.js";
import { SiteMap, rate, siteName } from "/assets/sitemap.js";

const PAUSE_MILLIS = 2_000;
const TIMEOUT_MILLIS = 15_000;
const STALE_MILLIS = 10_000;
const POINTS_MAX = 300;
const KEPT_MAX = 500;
const CHARTS_MAX = 6;
const HISTORY_MILLIS = 600_000;
const STEPS = Array.from({ length: 84 }, (none, index) => Number(`${[1, 2, 5][index % 3]}e${Math.floor(index / 3) - 9}`));
const BINARY = Array.from({ length: 60 }, (none, power) => 2 ** power);
const LISTS = ["numbers", "producers", "consumers"];

const element = (id) => document.getElementById(id);
const state = { list: "numbers", search: "", site: null, model: null, receivedAt: 0, trouble: "" };

/** Credentials in the address of the page are not allowed in that of a request; the browser has them anyway. */
function url(path, query) {
  return `${location.origin}${path}?${query}`;
}

// ------------------------------------------------------------------ points of numbers

/** Points by the key of a number, those that were seen last at the end. */
const kept = new Map();

function keep(number) {
  if (number.value === null) return;
  const points = kept.get(number.key) ?? [];
  kept.delete(number.key);
  kept.set(number.key, points);
  const last = points.at(-1);
  if (!last || number.time > last[0]) points.push([number.time, number.value]);
  if (points.length > POINTS_MAX) points.shift();
  if (kept.size > KEPT_MAX) {
    for (const key of kept.keys()) {
      if (!charts.has(key)) {
        kept.delete(key);
        break;
      }
    }
  }
}

/** Adds what a producer keeps, so that a chart does not begin empty. */
async function addHistory(row) {
  const [producer, topic, part] = row.key.split("\n");
  const from = new Date(Date.now() - HISTORY_MILLIS).toISOString();
  try {
    const response = await fetch(url("/v1/history", new URLSearchParams({ topic, from, deadline: 3000 })));
    if (!response.ok) return;
    const points = kept.get(row.key) ?? [];
    const first = points[0]?.[0] ?? Infinity;
    const earlier = (await response.json()).measurements
      .filter((each) => each.producer === producer)
      .map((each) => [Date.parse(each.time), part === "" ? each.value : each.values?.[part]?.value])
      .filter(([at, value]) => at < first && typeof value === "number")
      .sort((a, b) => a[0] - b[0]);
    kept.set(row.key, [...earlier, ...points].slice(-POINTS_MAX));
    charts.get(row.key)?.draw();
  } catch {
    // The chart begins now.
  }
}

// ------------------------------------------------------------------ numbers in words

function spell(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "By") return bytes(value);
  if (unit === "1" && value >= 0 && value <= 1) return percent(value);
  const size = Math.abs(value);
  const digits = size >= 1000 || Number.isInteger(value) ? count(value) : size >= 0.001 || size === 0 ? String(Number(value.toPrecision(4))) : value.toExponential(2);
  return digits + (unit && unit !== "1" ? " " + unit : "");
}

/** Lines that hardly change have room too, and those below zero. */
function range(min, max) {
  if (min === null || max === null) return [0, 1];
  const room = (max - min) * 0.15 || Math.abs(max) * 0.1 || 1;
  return [min >= 0 && min - room < max * 0.3 ? 0 : min - room, max + room];
}

// ------------------------------------------------------------------ charts

const charts = new Map();

class NumberChart {
  constructor(row) {
    this.row = row;
    const name = row.part === "" ? row.topic : `${row.topic} · ${row.part}`;
    this.chart = new Chart({
      series: "value", title: name, unit: "", sum: false, range, incrs: row.unit === "By" ? BINARY : STEPS,
      format: (value) => spell(value, this.row.unit),
    }, "of-" + serial++);
    this.element = this.chart.element;
    this.element.append(
      h("p", { class: "from" }, `${row.producer}${row.site ? ", " + row.site : ""}`),
      h("button", { type: "button", class: "quiet close", "aria-label": "Close the chart of " + name, onclick: () => close(row.key) }, "Close"));
  }

  draw() {
    const points = (kept.get(this.row.key) ?? []).map(([at, value]) => ({ at, members: { value: [value] } }));
    this.chart.show({ names: ["value"], points }, ["value"]);
    this.chart.legend.hidden = true;
  }

  close() {
    this.chart.forget();
    this.element.remove();
  }
}

let serial = 0;

function toggle(row) {
  if (charts.has(row.key)) {
    close(row.key);
    return;
  }
  if (charts.size >= CHARTS_MAX) close(charts.keys().next().value);
  const chart = new NumberChart(row);
  charts.set(row.key, chart);
  element("charts").hidden = false;
  element("charts").append(chart.element);
  fit();
  chart.draw();
  show();
  chart.element.scrollIntoView({ block: "nearest" });
  addHistory(row);
}

function close(key) {
  charts.get(key)?.close();
  charts.delete(key);
  element("charts").hidden = charts.size === 0;
  fit();
  show();
}

/** Charts share the width. */
function fit() {
  charts.forEach((each) => each.chart.resize());
}

new ResizeObserver(fit).observe(element("charts"));

// ------------------------------------------------------------------ lists

function wraps(...texts) {
  return h("span", { class: "wraps" }, texts.filter(Boolean).join(", ") || "–");
}

function numberCell(row) {
  const name = [h("b", {}, row.topic), row.part === "" ? null : h("span", { class: "part" }, " · " + row.part)];
  if (row.value === null) return h("span", { class: "chart-row" }, name);
  return h("button", {
    type: "button", class: "chart-row", "aria-pressed": charts.has(row.key) ? "true" : "false",
    title: "Chart of this number", onclick: () => toggle(row),
  }, name);
}

const lists = {
  numbers: table("Last measurements", [
    { head: "Topic", cell: numberCell, stamp: (row) => row.key + (row.value === null) + charts.has(row.key) },
    { head: "Value", isNumber: true, cell: (row) => row.value === null ? wraps(row.text) : spell(row.value, row.unit), stamp: (row) => `${row.value} ${row.text}` },
    { head: "Producer", cell: (row) => wraps(row.producer), stamp: (row) => row.producer },
    { head: "Site", cell: (row) => row.site || "–" },
    { head: "Tags", cell: (row) => wraps(...row.tags), stamp: (row) => row.tags.join("\u0000") },
    { head: "Age", isNumber: true, cell: (row) => age(row) },
  ]),
  producers: table("Producers", [
    { head: "Producer", cell: (row) => wraps(row.name), stamp: (row) => row.name },
    { head: "Rate", isNumber: true, cell: (row) => rate(row.rate) || "–" },
    { head: "Site", cell: (row) => row.site || "–" },
    { head: "At", cell: (row) => wraps(row.node), stamp: (row) => row.node },
    { head: "Topics", cell: (row) => wraps(...row.filters), stamp: (row) => row.filters.join("\u0000") },
    { head: "Attributes", cell: (row) => wraps(row.type, ...row.attributes), stamp: (row) => [row.type, ...row.attributes].join("\u0000") },
    { head: "Load", isNumber: true, cell: (row) => row.load === null ? "–" : percent(row.load) },
  ]),
  consumers: table("Consumers", [
    { head: "Consumer", cell: (row) => wraps(row.name), stamp: (row) => row.name },
    { head: "Rate", isNumber: true, cell: (row) => rate(row.rate) || "–" },
    { head: "Site", cell: (row) => row.site || "–" },
    { head: "At", cell: (row) => wraps(row.node), stamp: (row) => row.node },
    { head: "Chooses", cell: (row) => wraps(...row.filters), stamp: (row) => row.filters.join("\u0000") },
    { head: "Attributes", cell: (row) => wraps(...row.attributes), stamp: (row) => row.attributes.join("\u0000") },
  ]),
};

/** Clocks of producers may be ahead of that of the mediator. */
function age(row) {
  return duration(Math.max(0, state.model.at - row.time));
}

for (const list of LISTS) {
  element("lists").append(h("label", {},
    h("input", { type: "radio", name: "list", value: list, checked: list === state.list, onchange: () => look({ list }) }),
    h("span", {}, list[0].toUpperCase() + list.slice(1))));
}

let typing = 0;

/** Shows other rows, and asks for them at once. */
function look(change) {
  clearTimeout(typing);
  if (change.search !== undefined) element("search").value = change.search;
  // The text that is being typed counts, too.
  Object.assign(state, change, { search: element("search").value });
  for (const input of element("lists").querySelectorAll("input")) input.checked = input.value === state.list;
  show();
  ask();
}

element("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => look({}), 200);
});
element("site").addEventListener("click", () => look({ site: null }));

const map = new SiteMap((chosen) => {
  const isAgain = !chosen.list && chosen.site === state.site;
  look({ list: chosen.list ?? state.list, search: chosen.search, site: isAgain ? null : chosen.site });
  element("list-title").parentNode.scrollIntoView({ block: "nearest" });
});
element("stack").prepend(map.element);

// ------------------------------------------------------------------ the page

function verdict(model) {
  const away = model.sites.filter((site) => site.state === "away").map((site) => siteName(site.name));
  if (away.length) return away.length === 1 ? `Site ${away[0]} is away.` : `${away.length} sites are away.`;
  if (!model.producers) return "No producers yet.";
  const sites = model.siteCount > 1 ? ` at ${plural(model.siteCount, "site")}` : "";
  return `${plural(model.producers, "producer")}${sites}, ${rate(model.rate)}.`;
}

function show() {
  const model = state.model;
  if (!model) return;
  text(element("verdict"), verdict(model));
  text(element("seen"), `Grid ${model.grid}, seen from mediator ${model.node}${model.site ? " at " + model.site : ""}: ${plural(model.consumers, "consumer")}, ${plural(model.numbers, "number")}.`);
  document.title = `${model.grid} · tutti grid`;
  keyed(element("missing"), model.missing, (each) => each, (each) => h("li", {}, icon("warn"), h("span", {}, "Missing: " + each)));
  map.show(model, state.site);
  const isShown = model.list === state.list && model.search === state.search && model.chosen === state.site;
  element("site").hidden = state.site === null;
  text(element("site"), state.site === null ? "" : `Only ${siteName(state.site)}  ×`);
  attribute(element("site"), "aria-label", state.site === null ? null : `Show all sites, not only ${siteName(state.site)}`);
  if (!isShown) return;
  const list = lists[model.list];
  if (element("rows").firstChild !== list.element) element("rows").replaceChildren(list.element);
  list.show(model.rows, (row) => row.key);
  text(element("found"), model.found > model.rows.length ? `${model.rows.length} of ${count(model.found)}; search to see others` : model.found ? plural(model.found, model.list.slice(0, -1)) : "none found");
}

let asking = null;
let timer = 0;

async function ask() {
  clearTimeout(timer);
  asking?.abort();
  const own = new AbortController();
  asking = own;
  const guard = setTimeout(() => own.abort(), TIMEOUT_MILLIS);
  const { list, search, site } = state;
  const query = new URLSearchParams({ list, search });
  if (site !== null) query.append("site", site);
  for (const key of charts.keys()) query.append("chart", key);
  try {
    const response = await fetch(url("/v1/page", query), { signal: own.signal });
    if (!response.ok) throw new Error(await response.text());
    const model = await response.json();
    state.model = { ...model, list, search, chosen: site };
    state.receivedAt = performance.now();
    state.trouble = "";
    if (list === "numbers") model.rows.forEach(keep);
    model.charts.forEach((number) => {
      keep(number);
      const chart = charts.get(number.key);
      if (chart) chart.row.unit = number.unit;
    });
    show();
    charts.forEach((chart) => chart.draw());
  } catch (error) {
    // Another question has taken its place.
    if (asking !== own) return;
    state.trouble = String(error.message ?? error);
  } finally {
    clearTimeout(guard);
  }
  live();
  if (asking === own && !document.hidden) timer = setTimeout(ask, PAUSE_MILLIS);
}

function live() {
  const isLost = !state.model || performance.now() - state.receivedAt > STALE_MILLIS;
  attribute(element("live"), "data-state", isLost ? "lost" : "live");
  text(element("live-text"), isLost ? (state.model || state.trouble ? "Connection lost" : "Connecting") : "Live");
  attribute(element("live"), "title", state.model ? (state.trouble || "as of " + time(state.model.at)) : state.trouble);
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) ask();
});
setInterval(live, 1_000);
themes(element("theme"), () => charts.forEach((chart) => {
  chart.chart.forget();
  chart.draw();
}));
ask();
