// Sites with their producers and consumers, and the measurements that flow between them.

import { h, s, keyed, text, attribute } from "/assets/dom.js";
import { perSecond, plural } from "/assets/format.js";

const BOX = 244;
const DOT = 14;
const LINES_MAX = 6;
const RING_MAX = 6;
const STATES = { up: "", suspected: "no master", away: "away" };

/** Measurements per second; nothing if they are not known. */
export function rate(value) {
  if (value === null || value === undefined) return "";
  return value > 0 && value < 0.05 ? "< 0.1/s" : perSecond(value);
}

export function siteName(name) {
  return name === "" ? "This site" : name;
}

export class SiteMap {
  /** `choose` is told the site or the producer that was pressed. */
  constructor(choose) {
    this.choose = choose;
    this.flows = s("g", {});
    this.boxes = s("g", {});
    this.notes = s("g", {});
    this.picture = s("svg", { role: "group", "aria-label": "Map of the sites" }, this.flows, this.boxes, this.notes);
    this.more = h("p", { class: "under" });
    this.element = h("section", { class: "card", "aria-labelledby": "map-title" },
      h("div", { class: "card-head" }, h("h2", { id: "map-title" }, "Sites and flows"), h("span", { class: "side" }, "measurements per second")),
      h("div", { class: "map" }, this.picture), key(), this.more);
    this.width = 0;
    new ResizeObserver(() => {
      const width = Math.round(this.picture.parentNode.clientWidth);
      if (width && width !== this.width && this.model) this.show(this.model, this.chosen);
    }).observe(this.element);
  }

  show(model, chosen) {
    this.model = model;
    this.chosen = chosen;
    this.ways = model.ways.filter((way) => way.from !== way.to && way.rate > 0);
    this.place(model.sites);
    this.drawBoxes(model, chosen);
    this.drawFlows(this.isListed ? [] : this.ways.filter((way) => this.at.has(way.from) && this.at.has(way.to)));
    text(this.more, model.siteCount > model.sites.length ? `${model.siteCount - model.sites.length} further sites are in the list alone.` : "");
  }

  /** A ring; on a phone and with many sites rows, with the flows as lines of their sites. */
  place(sites) {
    this.width = Math.round(this.picture.parentNode.clientWidth) || 640;
    this.isListed = this.width < 620 || sites.length > RING_MAX;
    const columns = Math.max(1, Math.floor(this.width / (BOX + 20)));
    this.at = new Map();
    this.box = this.isListed ? (this.width - 4 - 16 * (columns - 1)) / columns : BOX;
    this.sizes = new Map(sites.map((site) => [site.name, boxHeight(site, this.box, this.isListed ? this.linesOf(site.name).length : 0)]));
    let height;
    if (this.isListed) {
      let y = 2;
      for (let first = 0; first < sites.length; first += columns) {
        const row = sites.slice(first, first + columns);
        const tallest = Math.max(...row.map((site) => this.sizes.get(site.name)));
        row.forEach((site, column) => {
          this.sizes.set(site.name, tallest);
          this.at.set(site.name, [2 + this.box / 2 + column * (this.box + 16), y + tallest / 2]);
        });
        y += tallest + 14;
      }
      height = y;
    } else {
      const tallest = Math.max(...this.sizes.values());
      if (sites.length <= 3) {
        // Two beside each other, a third one below between them: no flow crosses a site.
        const inset = Math.max(this.box / 2 + 4, this.width * 0.27);
        const rowTwo = tallest / 2 + 150 + tallest;
        const top = tallest / 2 + 24;
        const places = sites.length === 1 ? [[this.width / 2, top]]
          : [[inset, top], [this.width - inset, top], [this.width / 2, rowTwo]];
        sites.forEach((site, index) => this.at.set(site.name, places[index]));
        height = sites.length < 3 ? tallest + 56 : rowTwo + tallest / 2 + 16;
      } else {
        const radiusX = this.width / 2 - this.box / 2 - 8;
        const radiusY = Math.max(tallest * 1.3, (sites.length * (tallest + 40)) / Math.PI / 1.25);
        height = 2 * radiusY + tallest + 32;
        sites.forEach((site, index) => {
          const angle = -Math.PI / 2 + (2 * Math.PI * (index + (sites.length % 2 ? 0 : 0.5))) / sites.length;
          this.at.set(site.name, [this.width / 2 + radiusX * Math.cos(angle), height / 2 + radiusY * Math.sin(angle)]);
        });
      }
    }
    attribute(this.picture, "viewBox", `0 0 ${this.width} ${Math.round(height)}`);
    attribute(this.picture, "height", Math.round(height));
  }

  /** The flows from a site in words, the largest first. */
  linesOf(name) {
    const own = this.ways.filter((way) => way.from === name);
    const lines = own.slice(0, LINES_MAX).map((way) => `→ ${cut(siteName(way.to), 22)}  ${rate(way.rate)}`);
    return own.length > LINES_MAX ? [...lines, `→ ${own.length - LINES_MAX} more`] : lines;
  }

  drawBoxes(model, chosen) {
    const inside = new Map(model.ways.filter((way) => way.from === way.to).map((way) => [way.from, way.rate]));
    keyed(this.boxes, model.sites, (site) => site.name, (site) => s("g", { class: "node" },
      s("a", { href: "#", onclick: (event) => { event.preventDefault(); this.choose({ site: site.name }); } },
        s("rect", { class: "site", rx: 14 }), s("text", { class: "name at-site" }), s("text", { class: "note at-end" }), s("text", { class: "note at-site" }),
        s("text", { class: "note at-site" })),
      s("g", {}), s("g", {})),
    (node, site) => {
      const [x, y] = this.at.get(site.name);
      const size = this.sizes.get(site.name);
      node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      attribute(node, "class", "node " + site.state + (site.name === model.site ? " own" : "") + (site.name === chosen ? " chosen" : ""));
      const [anchor, dots, lines] = node.children;
      const [box, name, end, counts, flows] = anchor.children;
      const left = -this.box / 2;
      const top = -size / 2;
      attribute(box, "x", left); attribute(box, "y", top); attribute(box, "width", this.box); attribute(box, "height", size);
      attribute(name, "x", left + 14); attribute(name, "y", top + 24);
      attribute(end, "x", -left - 14); attribute(end, "y", top + 24);
      attribute(counts, "x", left + 14); attribute(counts, "y", top + 43);
      attribute(flows, "x", left + 14); attribute(flows, "y", top + 60);
      const state = STATES[site.state] || (site.name === model.site ? "here" : "");
      text(name, cut(siteName(site.name), state ? 20 : 26));
      text(end, state);
      text(counts, `${plural(site.producers, "producer")}, ${plural(site.consumers, "consumer")}`);
      text(flows, site.producers ? `${rate(site.rate)} published, ${rate(inside.get(site.name) ?? 0)} used here` : "");
      attribute(anchor, "aria-label", `Site ${siteName(site.name)}${state ? ", " + state : ""}: ${plural(site.producers, "producer")}, ${plural(site.consumers, "consumer")}`);
      this.drawDots(dots, site, left + 14, top);
      const words = this.isListed ? this.linesOf(site.name) : [];
      keyed(lines, words.map((line, index) => ({ line, index })), (each) => each.index, () => s("text", { class: "flow-line" }), (shape, each) => {
        attribute(shape, "x", left + 14);
        attribute(shape, "y", top + size - 14 - 19 * (words.length - 1 - each.index));
        text(shape, each.line);
      });
    });
  }

  /** Producers as discs, consumers as squares. */
  drawDots(parent, site, left, top) {
    const perRow = dotsPerRow(this.box);
    const placed = placeDots(site.dots, perRow);
    keyed(parent, placed, (dot) => dot.id, (dot) => s(dot.kind === "producer" ? "circle" : "rect", {
      onclick: () => this.choose({ list: dot.kind === "producer" ? "numbers" : "consumers", search: dot.name, site: site.name }),
    }, s("title", {})), (shape, dot) => {
      const x = left + dot.column * (DOT + 4) + DOT / 2;
      const y = top + 76 + dot.row * (DOT + 5) + DOT / 2;
      const radius = 4.5 + Math.min(2.5, Math.log10(1 + (dot.rate ?? 0)) * 1.1);
      if (dot.kind === "producer") {
        attribute(shape, "cx", x); attribute(shape, "cy", y); attribute(shape, "r", radius.toFixed(1));
      } else {
        attribute(shape, "x", x - 5.5); attribute(shape, "y", y - 5.5); attribute(shape, "width", 11); attribute(shape, "height", 11); attribute(shape, "rx", 2);
      }
      attribute(shape, "class", `dot ${dot.kind}${dot.rate > 0 ? "" : " idle"}`);
      text(shape.firstChild, `${dot.kind} ${dot.name}${dot.rate === null ? "" : ", " + rate(dot.rate)}`);
    });
  }

  drawFlows(ways) {
    const drawn = ways.map((way) => ({ ...way, key: way.from + "\u0000" + way.to, line: this.line(way) }));
    keyed(this.flows, drawn, (way) => way.key, () => s("g", {}, s("path", { class: "flow" }), s("path", { class: "flow-dash" }), s("path", { class: "arrow" })), (shape, way) => {
      const [flow, dash, arrow] = shape.children;
      attribute(flow, "d", way.line.path);
      attribute(dash, "d", way.line.path);
      attribute(flow, "stroke-width", (1.5 + Math.min(7, 2 * Math.log10(1 + way.rate))).toFixed(1));
      attribute(arrow, "d", way.line.arrow);
    });
    keyed(this.notes, drawn, (way) => way.key, () => s("text", { class: "flow-note" }), (note, way) => {
      attribute(note, "x", way.line.note[0].toFixed(1));
      attribute(note, "y", way.line.note[1].toFixed(1));
      text(note, rate(way.rate));
      attribute(note, "aria-label", `from ${siteName(way.from)} to ${siteName(way.to)}: ${rate(way.rate)}`);
    });
  }

  line(way) {
    const [x1, y1] = this.at.get(way.from);
    const [x2, y2] = this.at.get(way.to);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const nx = -(y2 - y1) / length;
    const ny = (x2 - x1) / length;
    const bend = 22 + Math.min(26, length * 0.05);
    const control = [(x1 + x2) / 2 - nx * bend * 2, (y1 + y2) / 2 - ny * bend * 2];
    const start = this.edge([x1, y1], control, way.from, 2);
    const end = this.edge([x2, y2], control, way.to, 9);
    const note = [0.25 * start[0] + 0.5 * control[0] + 0.25 * end[0], 0.25 * start[1] + 0.5 * control[1] + 0.25 * end[1] + 4];
    const tip = this.edge([x2, y2], control, way.to, 2);
    return { path: `M${point(start)}Q${point(control)} ${point(end)}`, arrow: head(tip[0], tip[1], Math.atan2(end[1] - control[1], end[0] - control[0])), note };
  }

  /** The point where the way from the middle of a site to a control point leaves its box. */
  edge([x, y], [cx, cy], name, gap) {
    const halfWidth = this.box / 2 + gap;
    const halfHeight = this.sizes.get(name) / 2 + gap;
    const dx = cx - x;
    const dy = cy - y;
    const share = Math.min(Math.abs(dx) < 1e-6 ? Infinity : halfWidth / Math.abs(dx), Math.abs(dy) < 1e-6 ? Infinity : halfHeight / Math.abs(dy));
    return [x + dx * share, y + dy * share];
  }
}

function point([x, y]) {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

/** The head of an arrow, with its tip here. */
function head(x, y, angle) {
  const corner = (turn) => point([x - 10 * Math.cos(angle + turn), y - 10 * Math.sin(angle + turn)]);
  return `M${point([x, y])}L${corner(0.42)}L${corner(-0.42)}Z`;
}

function dotsPerRow(box) {
  return Math.floor((box - 24) / (DOT + 4));
}

/** Producers in the first rows, consumers in those below. */
function placeDots(dots, perRow) {
  const placed = [];
  let row = 0;
  for (const kind of ["producer", "consumer"]) {
    const own = dots.filter((dot) => dot.kind === kind);
    own.forEach((dot, index) => placed.push({ ...dot, column: index % perRow, row: row + Math.floor(index / perRow) }));
    row += Math.ceil(own.length / perRow);
  }
  return placed;
}

function boxHeight(site, box, lines) {
  const rows = placeDots(site.dots, dotsPerRow(box)).reduce((most, dot) => Math.max(most, dot.row + 1), 0);
  return 74 + rows * (DOT + 5) + (rows ? 10 : 0) + lines * 19 + (lines ? 6 : 0);
}

function cut(name, most) {
  return name.length > most ? name.slice(0, most - 1) + "…" : name;
}

function key() {
  const mark = (shape) => s("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" }, shape);
  return h("ul", { class: "key" },
    h("li", {}, mark(s("circle", { class: "dot producer", cx: 7, cy: 7, r: 5 })), "producer"),
    h("li", {}, mark(s("circle", { class: "dot producer idle", cx: 7, cy: 7, r: 5 })), "publishes nothing now"),
    h("li", {}, mark(s("rect", { class: "dot consumer", x: 1.5, y: 1.5, width: 11, height: 11, rx: 2 })), "consumer"),
    h("li", {}, "Press a site or a mark to see its rows."));
}
