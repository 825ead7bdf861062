// The cluster as a ring of members. Those who share a view lie in one field; sides of a split move apart.

import { h, s, keyed, text, attribute } from "./dom.js";
import { perSecond, micros, plural, list, duration } from "./format.js";

const GONE_MILLIS = 45_000;
const NOTES_MAX = 5;

export class ClusterMap {
  constructor(wanted = null) {
    this.group = null;
    this.wanted = wanted;
    this.seen = new Map();
    this.hulls = s("g", {});
    this.links = s("g", {});
    this.notes = s("g", {});
    this.nodes = s("g", {});
    this.picture = s("svg", { role: "group", "aria-label": "Map of the cluster" }, this.hulls, this.links, this.notes, this.nodes);
    this.chips = h("fieldset", { class: "chips" }, h("legend", { class: "unseen" }, "Group to show"));
    this.choices = h("div", { class: "chips" });
    this.chips.append(this.choices);
    this.views = h("ul", { class: "views" });
    this.element = h("section", { class: "card", "aria-labelledby": "map-title" },
      h("div", { class: "card-head" }, h("h2", { id: "map-title" }, "Cluster"), this.chips),
      h("div", { class: "map" }, this.picture),
      this.views);
    this.width = 0;
    new ResizeObserver(() => {
      const width = Math.round(this.picture.parentNode.clientWidth);
      if (width && width !== this.width && this.model) this.show(this.model);
    }).observe(this.element);
  }

  show(model) {
    this.model = model;
    this.choose(model);
    const group = model.groups.find((each) => each.name === this.group);
    const members = this.members(model);
    const sides = this.sides(members, group, model);
    this.place(members, sides);
    this.drawHulls(group, members, sides);
    this.drawLinks(model, members, sides);
    this.drawNodes(members, group, model);
    this.drawViews(model, group, sides);
  }

  /** The group with most members is shown until somebody wants another. */
  choose(model) {
    const names = model.groups.map((group) => group.name).sort((a, b) => isOwn(a) - isOwn(b) || (a < b ? -1 : 1));
    if (this.wanted !== null && (this.wanted === "" || names.includes(this.wanted))) {
      this.group = this.wanted;
    } else {
      const largest = [...model.groups].sort((a, b) => isOwn(a.name) - isOwn(b.name) || b.members.length - a.members.length)[0];
      this.group = largest ? largest.name : null;
    }
    keyed(this.choices, ["", ...names], (name) => name, (name) => {
      const input = h("input", { type: "radio", name: "map-group", value: name, onchange: () => {
        this.wanted = name;
        this.show(this.model);
      } });
      return h("label", {}, input, h("span", {}, name === "" ? "Links only" : name));
    }, (label, name) => { label.firstChild.checked = name === (this.group ?? ""); });
  }

  /** Those of the model, and for a while those that are gone. */
  members(model) {
    const now = model.at;
    for (const member of model.members) this.seen.set(member.name, { ...member, seenAt: now });
    for (const [name, member] of this.seen) {
      if (now - member.seenAt > GONE_MILLIS || member.seenAt > now) this.seen.delete(name);
    }
    return [...this.seen.values()].map((member) => ({ ...member, gone: member.seenAt < now ? now - member.seenAt : 0 }));
  }

  /** Sets of members that are together: by views of the group, or by links. */
  sides(members, group, model) {
    const sides = [];
    if (group) {
      const views = [...group.views].sort((a, b) => b.holders.length - a.holders.length || b.number - a.number);
      const taken = new Set();
      for (const view of views) {
        const own = view.members.filter((name) => view.holders.includes(name) && !taken.has(name));
        own.forEach((name) => taken.add(name));
        if (own.length) sides.push({ view, names: own });
      }
    } else {
      const open = new Map(members.map((member) => [member.name, new Set([member.name])]));
      for (const link of model.links) {
        if (link.state === "open" && !link.suspected && open.has(link.from)) open.get(link.from).add(link.to);
      }
      const left = new Set(members.filter((member) => !member.gone).map((member) => member.name));
      while (left.size) {
        const names = [];
        const next = [left.values().next().value];
        while (next.length) {
          const name = next.pop();
          if (!left.delete(name)) continue;
          names.push(name);
          open.get(name)?.forEach((other) => left.has(other) && next.push(other));
        }
        sides.push({ view: null, names });
      }
    }
    sides.sort((a, b) => (a.names[0] < b.names[0] ? -1 : 1));
    return sides;
  }

  place(members, sides) {
    this.width = Math.round(this.picture.parentNode.clientWidth) || 640;
    const isNarrow = this.width < 520;
    const height = isNarrow ? Math.min(400, this.width * 1.02) : Math.min(430, Math.max(330, this.width * 0.58));
    attribute(this.picture, "viewBox", `0 0 ${this.width} ${height}`);
    attribute(this.picture, "height", height);
    const sideOf = new Map();
    sides.forEach((side, index) => side.names.forEach((name, rank) => sideOf.set(name, [index, rank])));
    members.sort((a, b) => {
      const [sideA, rankA] = sideOf.get(a.name) ?? [sides.length, 0];
      const [sideB, rankB] = sideOf.get(b.name) ?? [sides.length, 0];
      return sideA - sideB || rankA - rankB || (a.name < b.name ? -1 : 1);
    });
    const gap = sides.length > 1 ? 0.85 : 0;
    const gaps = members.filter((member, index) => index > 0
      && (sideOf.get(member.name)?.[0] ?? -1) !== (sideOf.get(members[index - 1].name)?.[0] ?? -1)).length + (gap ? 1 : 0);
    const step = (2 * Math.PI) / Math.max(1, members.length + gap * gaps);
    this.radius = members.length > 24 ? 9 : members.length > 12 ? 14 : 20;
    const radiusX = Math.min(this.width / 2 - (isNarrow ? 62 : 92), 280);
    const radiusY = height / 2 - 66;
    let angle = -Math.PI / 2 - (sides.length > 1 ? step * (sides[0].names.length - 1) / 2 : 0);
    let before = null;
    this.at = new Map();
    members.forEach((member, index) => {
      const side = sideOf.get(member.name)?.[0] ?? -1;
      if (index > 0) angle += step * (side !== before ? 1 + gap : 1);
      before = side;
      const alone = members.length === 1 ? 0 : 1;
      this.at.set(member.name, [this.width / 2 + radiusX * Math.cos(angle) * alone, height / 2 - 8 + radiusY * Math.sin(angle) * alone]);
    });
  }

  drawHulls(group, members, sides) {
    const shown = group ? sides : [];
    const width = this.radius * 2 + 56;
    keyed(this.hulls, shown, (side) => side.names.join(" "), () => s("g", {}, s("path", { class: "hull-edge" }), s("path", { class: "hull" }), s("text", { class: "side-mark" })),
      (shape, side) => {
        const path = outline(side.names.map((name) => this.at.get(name)).filter(Boolean));
        shape.children[0].setAttribute("d", path);
        shape.children[1].setAttribute("d", path);
        attribute(shape.children[0], "stroke-width", width + 2.5);
        attribute(shape.children[1], "stroke-width", width);
        const index = sides.indexOf(side);
        text(shape.children[2], sides.length > 1 ? letter(index) : "");
        const points = side.names.map((name) => this.at.get(name));
        const left = points.reduce((best, point) => (point[0] < best[0] ? point : best));
        attribute(shape.children[2], "x", left[0] - this.radius - 22);
        attribute(shape.children[2], "y", left[1] - this.radius + 3);
      });
  }

  drawLinks(model, members, sides) {
    const pairs = pairsOf(model.links).filter((pair) => this.at.has(pair.a) && this.at.has(pair.b));
    const gone = new Set(members.filter((member) => member.gone).map((member) => member.name));
    const shown = pairs.filter((pair) => !gone.has(pair.a) && !gone.has(pair.b));
    keyed(this.links, shown, (pair) => pair.key, () => s("g", {}, s("line", { class: "link" }), s("path", { class: "link-cross" })), (shape, pair) => {
      const [x1, y1] = this.at.get(pair.a);
      const [x2, y2] = this.at.get(pair.b);
      const line = shape.children[0];
      attribute(line, "x1", x1); attribute(line, "y1", y1); attribute(line, "x2", x2); attribute(line, "y2", y2);
      attribute(line, "class", "link" + (pair.bad ? " bad" : pair.rate > 2000 ? " busy" : "") + (pair.relay ? " relayed" : ""));
      attribute(line, "stroke-width", pair.bad ? null : (1.2 + Math.min(5, Math.max(0, Math.log10(1 + pair.rate / 1000)))).toFixed(1));
      const x = (x1 + x2) / 2;
      const y = (y1 + y2) / 2;
      attribute(shape.children[1], "d", pair.bad ? `M${x - 6} ${y - 6}l12 12M${x + 6} ${y - 6}l-12 12` : "");
    });
    const noted = members.length <= NOTES_MAX ? shown.filter((pair) => !pair.bad && pair.roundTrip >= 0) : [];
    const inside = new Set(this.group ? sides.filter((side) => side.names.length > 2).flatMap((side) => side.names) : []);
    keyed(this.notes, noted, (pair) => pair.key, () => s("text", {}), (note, pair) => {
      const [x1, y1] = this.at.get(pair.a);
      const [x2, y2] = this.at.get(pair.b);
      attribute(note, "class", "link-note" + (inside.has(pair.a) && inside.has(pair.b) ? " in-hull" : ""));
      attribute(note, "x", (x1 + x2) / 2);
      attribute(note, "y", (y1 + y2) / 2 + 4);
      text(note, micros(pair.roundTrip));
    });
  }

  drawNodes(members, group, model) {
    const rows = group ? new Map(group.members.map((row) => [row.name, row])) : null;
    keyed(this.nodes, members, (member) => member.name, (member) => s("g", { class: "node" },
      s("a", { href: "#/member/" + encodeURIComponent(member.name) },
        s("circle", { class: "disc" }), s("text", { class: "rank" }), s("text", { class: "name" }), s("text", { class: "note" }))),
    (node, member) => {
      const [x, y] = this.at.get(member.name);
      node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      const view = group?.views.find((each) => each.holders.includes(member.name));
      const rank = view ? view.members.indexOf(member.name) + 1 : 0;
      const isSilent = member.state === "silent";
      const isFirst = rank === 1 && !member.gone;
      const kind = member.gone ? "gone" : isSilent ? "silent" : group && !rows.has(member.name) ? "outside" : isFirst ? "first" : "";
      attribute(node, "class", "node " + kind + (view ? " inside" : ""));
      const note = member.gone ? "gone for " + duration(member.gone) : isSilent ? "not heard"
        : kind === "outside" ? "not in this group"
        : perSecond(group ? rows.get(member.name)?.delivered ?? 0 : member.delivered) + (member.name === model.self ? " · here" : "");
      const mark = member.gone ? "×" : isSilent ? "?" : rank || "";
      const anchor = node.firstElementChild;
      attribute(anchor, "aria-label", [member.name, member.gone ? note : isSilent ? "not heard" : "answers",
        isFirst ? "coordinator of " + group.name : rank ? "rank " + rank + " in " + group.name : null,
        member.gone || isSilent ? null : "messages delivered " + note].filter(Boolean).join(", "));
      const [disc, rankText, name, noteText] = anchor.children;
      attribute(disc, "r", this.radius);
      text(rankText, this.radius > 10 ? mark : "");
      attribute(rankText, "y", 5);
      text(name, member.name);
      attribute(name, "y", this.radius + 19);
      text(noteText, members.length > 16 ? "" : note);
      attribute(noteText, "y", this.radius + 35);
    });
  }

  drawViews(model, group, sides) {
    const shown = group ? sides : [];
    const dashed = model.links.some((link) => link.relay) ? " Dashed links go through a rendezvous server." : "";
    keyed(this.views, shown.length ? shown : [null], (side) => (side ? side.view.id + side.names : "none"),
      () => h("li", {}, h("span", { class: "tag" }), h("b", {}), h("span", {})),
      (row, side) => {
        if (!side) {
          text(row.children[1], "");
          row.children[0].hidden = true;
          text(row.children[2], "Links between members. The stronger the line, the more goes over it." + dashed);
          return;
        }
        row.children[0].hidden = sides.length < 2;
        text(row.children[0], letter(sides.indexOf(side)));
        text(row.children[1], `View ${side.view.number} of ${group.name}`);
        const missing = side.view.members.filter((name) => !side.names.includes(name));
        text(row.children[2], plural(side.view.members.length, "member") + ": " + list(side.view.members, 12)
          + ". Number 1 coordinates." + (missing.length ? " Not installed by " + list(missing) + "." : "") + dashed);
      });
  }
}

/** Whether a group is one of tutti itself, not of the application. */
export function isOwn(name) {
  return name.startsWith("tutti.") ? 1 : 0;
}

/** The two ends of each link as one. */
export function pairsOf(links) {
  const pairs = new Map();
  for (const link of links) {
    const [a, b] = link.from < link.to ? [link.from, link.to] : [link.to, link.from];
    const key = a + "\u0000" + b;
    const pair = pairs.get(key) ?? { key, a, b, rate: 0, roundTrip: -1, roundTrips: [], retained: 0, resent: 0, resumes: 0, bad: false, states: [], closes: [], bytes: 0, relay: "", reasons: [] };
    pair.rate += link.out ?? 0;
    pair.retained += link.retained;
    pair.resent += link.resent;
    pair.resumes = Math.max(pair.resumes, link.resumes);
    // Both ends count the bytes of both directions.
    pair.bytes = Math.max(pair.bytes, link.bytes);
    if (link.relay) {
      pair.relay = link.relay;
      if (link.directFailure) pair.reasons.push(`${link.from}: ${link.directFailure}`);
    }
    if (link.roundTripMicros >= 0) pair.roundTrips.push(link.roundTripMicros);
    if (link.state !== "open" || link.suspected) {
      pair.bad = true;
      pair.states.push(link.suspected ? `${link.from} does not hear ${link.to}` : `${link.from}: ${link.state}`);
    }
    for (const group of link.closes) pair.closes.push({ by: link.to, of: link.from, group });
    pair[link.from === a ? "ab" : "ba"] = link;
    pairs.set(key, pair);
  }
  for (const pair of pairs.values()) pair.roundTrip = roundTripOf(pair);
  return [...pairs.values()].sort((x, y) => (y.bad ? 1 : 0) - (x.bad ? 1 : 0) || (x.key < y.key ? -1 : 1));
}

/** The ends of a relayed pair measure only as far as the server, each on its side. */
function roundTripOf({ relay, roundTrips }) {
  if (relay) return roundTrips.length === 2 ? roundTrips[0] + roundTrips[1] : -1;
  return roundTrips.length ? Math.min(...roundTrips) : -1;
}

/** Pairs that go through rendezvous servers, by server. */
export function relaysOf(pairs) {
  const relays = new Map();
  for (const pair of pairs.filter((each) => each.relay)) {
    const relay = relays.get(pair.relay) ?? { server: pair.relay, pairs: [], rate: 0, bytes: 0, roundTrips: [] };
    relay.pairs.push(pair);
    relay.rate += (pair.ab ? (pair.ab.out ?? 0) + (pair.ab.in ?? 0) : (pair.ba.out ?? 0) + (pair.ba.in ?? 0));
    relay.bytes += pair.bytes;
    if (pair.roundTrip >= 0) relay.roundTrips.push(pair.roundTrip);
    relays.set(pair.relay, relay);
  }
  return [...relays.values()].sort((x, y) => x.server < y.server ? -1 : 1);
}

function letter(index) {
  return String.fromCharCode(65 + (index % 26));
}

/** A path round points: their convex hull, which a thick round stroke turns into a field. */
function outline(points) {
  if (!points.length) return "";
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const half = (list) => {
    const hull = [];
    for (const point of list) {
      while (hull.length >= 2 && cross(hull.at(-2), hull.at(-1), point) <= 0) hull.pop();
      hull.push(point);
    }
    hull.pop();
    return hull;
  };
  const hull = sorted.length < 3 ? sorted : [...half(sorted), ...half([...sorted].reverse())];
  const shift = hull.map(([x, y]) => `${x.toFixed(1)} ${(y + 14).toFixed(1)}`);
  return `M${shift.join("L")}${hull.length > 1 ? "Z" : "h.01"}`;
}

function cross(o, a, b) {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}
