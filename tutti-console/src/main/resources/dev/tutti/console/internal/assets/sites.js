// Clusters on several sites: a map with this site in the middle, links to the others, and messages that are kept for them.

import { h, s, table, text, keyed, attribute } from "./dom.js";
import { count, bytes, micros, duration, plural, list } from "./format.js";
import { card, heading, link, links, meter, state } from "./pages.js";
import { StoryList } from "./timeline.js";

const SHOWN_MAX = 16;
const WORDS = { up: "up", suspected: "suspected", away: "away", expected: "not seen yet" };
const ICONS = { up: "ok", suspected: "warn", away: "lost", expected: "silent" };
const TROUBLE = { away: 0, suspected: 1, expected: 2, up: 3 };

function siteState(site) {
  return state(ICONS[site.state] ?? "warn", WORDS[site.state] ?? site.state);
}

/** The links of all site groups to a site as one. */
function linkTo(sites, name) {
  const all = sites.links.filter((each) => each.site === name);
  return {
    all,
    isOpen: all.some((each) => each.open),
    messages: all.reduce((sum, each) => sum + each.lagMessages, 0),
    bytes: all.reduce((sum, each) => sum + each.lagBytes, 0),
    millis: Math.max(0, ...all.map((each) => each.lagMillis)),
    micros: Math.max(-1, ...all.filter((each) => each.open).map((each) => each.acknowledgedMicros)),
  };
}

/** The lag of a link in words; empty if it has none that lasts. */
function lag(each) {
  return each.messages && each.millis >= 1_000 ? `${count(each.messages)} behind, ${duration(each.millis)}` : "";
}

class SiteMap {
  constructor() {
    this.trunk = s("path", { class: "link", "stroke-width": 1.5 });
    this.lines = s("g", {});
    this.notes = s("g", {});
    this.nodes = s("g", {});
    this.picture = s("svg", { role: "group", "aria-label": "Map of the sites" }, this.trunk, this.lines, this.notes, this.nodes);
    this.caption = h("p", { class: "under" });
    this.element = h("section", { class: "card", "aria-labelledby": "sites-map-title" },
      h("div", { class: "card-head" }, h("h2", { id: "sites-map-title" }, "Sites")),
      h("div", { class: "map" }, this.picture), this.caption);
    this.width = 0;
    new ResizeObserver(() => {
      const width = Math.round(this.picture.parentNode.clientWidth);
      if (width && width !== this.width && this.sites) this.show(this.sites);
    }).observe(this.element);
  }

  show(sites) {
    this.sites = sites;
    const others = sites.sites.filter((site) => site.name !== sites.own)
      .sort((a, b) => (TROUBLE[a.state] ?? 0) - (TROUBLE[b.state] ?? 0) || (a.name < b.name ? -1 : 1));
    const shown = others.slice(0, SHOWN_MAX).sort((a, b) => (a.name < b.name ? -1 : 1));
    const own = sites.sites.find((site) => site.name === sites.own) ?? { name: sites.own, state: "up", members: sites.members };
    this.place(own, shown);
    this.drawLines(own, shown);
    this.drawNodes(own, shown);
    const left = others.length - shown.length;
    text(this.caption, "A line says after which time messages are acknowledged by the other site, or which ones it lacks."
      + (left ? ` ${plural(left, "further site is", "further sites are")} in the table.` : ""));
  }

  /** This site on the left, and the others in a column or two beside it; in a narrow picture a tree with this site on top. */
  place(own, others) {
    this.width = Math.round(this.picture.parentNode.clientWidth) || 640;
    this.isNarrow = this.width < 520;
    this.at = new Map();
    const columns = !this.isNarrow && others.length > 6 ? 2 : 1;
    const rows = Math.ceil(others.length / columns);
    const step = this.isNarrow ? 112 : 132;
    const height = this.isNarrow ? 60 + step * rows : Math.max(300, step * rows + 30);
    attribute(this.picture, "viewBox", `0 0 ${this.width} ${height}`);
    attribute(this.picture, "height", height);
    const middle = height / 2 - 14;
    this.at.set(own.name, this.isNarrow ? [34, 28] : [Math.max(90, this.width * 0.16), middle]);
    others.forEach((site, index) => {
      const column = index % columns;
      const row = Math.floor(index / columns);
      this.at.set(site.name, this.isNarrow
        ? [this.width - 66, 104 + step * row]
        : [this.width * (columns === 1 ? 0.8 : column ? 0.86 : 0.56), middle + step * (row - (rows - 1) / 2)]);
    });
  }

  /** The way to a site, and points on it for a cross and a note. */
  way([x1, y1], [x2, y2]) {
    return this.isNarrow
      ? { path: `M${x1} ${y2}H${x2}`, cross: [x1 + (x2 - x1) * 0.18, y2], note: [x1 + (x2 - x1) * 0.48, y2 - 9] }
      : { path: `M${x1} ${y1}L${x2} ${y2}`, cross: [x1 + (x2 - x1) * 0.3, y1 + (y2 - y1) * 0.3], note: [x1 + (x2 - x1) * 0.54, y1 + (y2 - y1) * 0.54 - 9 - Math.abs(y2 - y1) / 12] };
  }

  drawLines(own, others) {
    const [x, y] = this.at.get(own.name);
    attribute(this.trunk, "d", this.isNarrow && others.length ? `M${x} ${y}V${this.at.get(others.at(-1).name)[1]}` : "");
    const links = others.map((site) => ({ site, to: linkTo(this.sites, site.name), way: this.way(this.at.get(own.name), this.at.get(site.name)) }));
    keyed(this.lines, links, (each) => each.site.name, () => s("g", {}, s("path", { class: "link", fill: "none" }), s("path", { class: "link-cross" })), (shape, { site, to, way }) => {
      const isBad = site.state !== "up";
      const [line, mark] = shape.children;
      attribute(line, "d", way.path);
      attribute(line, "class", "link" + (isBad ? " bad" : to.isOpen ? " busy" : ""));
      attribute(line, "stroke-width", isBad ? null : to.isOpen ? 3 : 1.5);
      const [x, y] = way.cross;
      attribute(mark, "d", site.state === "away" ? `M${x - 6} ${y - 6}l12 12M${x + 6} ${y - 6}l-12 12` : "");
    });
    keyed(this.notes, links, (each) => each.site.name, () => s("text", { class: "link-note" }), (note, { site, to, way }) => {
      attribute(note, "x", way.note[0]);
      attribute(note, "y", way.note[1]);
      text(note, lag(to) || (site.state === "up" && to.micros >= 0 ? micros(to.micros) : ""));
    });
  }

  drawNodes(own, others) {
    keyed(this.nodes, [own, ...others], (site) => site.name, (site) => s("g", { class: "node" },
      s("a", { href: "#/site/" + encodeURIComponent(site.name) },
        s("rect", { class: "disc", rx: 14 }), s("text", { class: "rank" }), s("text", { class: "name" }), s("text", { class: "note" }))),
    (node, site) => {
      const [x, y] = this.at.get(site.name);
      node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      const isOwn = site.name === own.name;
      attribute(node, "class", "node " + (isOwn ? "first" : site.state));
      const words = [isOwn ? "here" : WORDS[site.state] ?? site.state, site.members.length ? plural(site.members.length, "member") : null]
        .filter(Boolean).join(" · ");
      const anchor = node.firstElementChild;
      const to = linkTo(this.sites, site.name);
      attribute(anchor, "aria-label", ["site " + site.name, words, isOwn ? null : lag(to)].filter(Boolean).join(", "));
      const [disc, mark, name, note] = anchor.children;
      attribute(disc, "x", -26); attribute(disc, "y", -22); attribute(disc, "width", 52); attribute(disc, "height", 44);
      text(mark, { up: site.members.length || "", suspected: "?", away: "×", expected: "…" }[isOwn ? "up" : site.state] ?? "?");
      attribute(mark, "y", 5);
      const isBeside = isOwn && this.isNarrow;
      text(name, site.name);
      text(note, words);
      [name, note].forEach((each, line) => {
        attribute(each, "x", isBeside ? 38 : 0);
        attribute(each, "y", (isBeside ? -2 : 42) + 16 * line);
        each.style.textAnchor = isBeside ? "start" : "";
      });
    });
  }
}

/** Names of a site's members; those of this site are links. */
function memberNames(sites, site) {
  return site.name === sites.own ? links("member", site.members) : h("span", {}, list(site.members, 12) || "–");
}

function siteTable() {
  return table("Sites", [
    { head: "Site", cell: ({ site, sites }) => h("span", {}, link("site", site.name), site.name === sites.own ? h("span", { class: "faint" }, " here") : null), stamp: ({ site, sites }) => site.name + sites.own },
    { head: "State", cell: ({ site }) => siteState(site), stamp: ({ site }) => site.state },
    { head: "Members", cell: ({ site, sites }) => memberNames(sites, site), stamp: ({ site }) => site.members.join() },
    { head: "Messages behind", isNumber: true, cell: ({ site, sites, to }) => site.name === sites.own ? "–" : count(to.messages) },
    { head: "Bytes behind", isNumber: true, cell: ({ site, sites, to }) => site.name === sites.own ? "–" : bytes(to.bytes) },
    { head: "For", isNumber: true, cell: ({ to }) => to.messages && to.millis ? duration(to.millis) : "–" },
  ]);
}

function siteRows(sites) {
  return sites.sites.map((site) => ({ site, sites, to: linkTo(sites, site.name) }));
}

function linkTable() {
  return table("Links between sites", [
    { head: "Group", cell: (row) => link("group", row.group), stamp: (row) => row.group },
    { head: "To site", cell: (row) => link("site", row.site), stamp: (row) => row.site },
    { head: "Stream", cell: (row) => row.open ? state("ok", "open") : row.from ? state("warn", row.refusal ? "refused: " + row.refusal : "opening") : state("lost", "none"), stamp: (row) => [row.open, row.from, row.refusal].join() },
    { head: "From master", cell: (row) => row.from ? link("member", row.from) : "–", stamp: (row) => row.from },
    { head: "To master", cell: (row) => row.to || "–" },
    { head: "Acknowledged after", isNumber: true, cell: (row) => row.open ? micros(row.acknowledgedMicros) : "–" },
    { head: "Under way", cell: (row) => row.from ? meter(row.window - row.inFlight, row.window, `${bytes(row.inFlight)} of ${bytes(row.window)}`) : "–", stamp: (row) => row.from + row.inFlight + "/" + row.window },
    { head: "Messages behind", isNumber: true, cell: (row) => count(row.lagMessages) },
    { head: "Bytes behind", isNumber: true, cell: (row) => bytes(row.lagBytes) },
    { head: "For", isNumber: true, cell: (row) => row.lagMessages && row.lagMillis ? duration(row.lagMillis) : "–" },
  ]);
}

function groupTable() {
  return table("Groups across sites", [
    { head: "Group", cell: (row) => link("group", row.name), stamp: (row) => row.name },
    { head: "Room for other sites", cell: (row) => meter(row.retainedMax - row.retainedBytes, row.retainedMax, `${bytes(Math.max(0, row.retainedMax - row.retainedBytes))} of ${bytes(row.retainedMax)}`), stamp: (row) => row.retainedBytes + "/" + row.retainedMax },
    { head: "Kept", cell: (row) => `${plural(row.retained, "message")}, ${bytes(row.retainedBytes)}, in ${row.keptIn || "memory"}` },
    { head: "When full", cell: (row) => row.whenFull === "wait" ? "sends wait" : "the oldest are dropped" },
    { head: "Dropped", isNumber: true, cell: (row) => count(row.dropped) },
    { head: "Lost here", isNumber: true, cell: (row) => count(row.gaps) },
    { head: "Came twice", isNumber: true, cell: (row) => count(row.duplicates) },
    { head: "Out of order", isNumber: true, cell: (row) => count(row.waiting) },
  ]);
}

function isOfSites(story) {
  return story.kind.startsWith("sites-");
}

function verdict(sites) {
  const named = (wanted) => sites.sites.filter((site) => site.state === wanted && site.name !== sites.own).map((site) => site.name);
  const away = named("away");
  const suspected = named("suspected");
  const words = [];
  if (away.length) words.push(away.length === 1 ? `site ${away[0]} is away` : `sites ${list(away)} are away`);
  if (suspected.length) words.push(suspected.length === 1 ? `site ${suspected[0]} is suspected` : `sites ${list(suspected)} are suspected`);
  if (words.length) return "S" + words.join("; ").slice(1) + ".";
  const up = sites.sites.filter((site) => site.state === "up").length;
  return up < 2 ? "This site is on its own." : `${plural(up, "site")}, all connected.`;
}

/** The sentence and the next step of a cluster without sites. */
function nothing() {
  return h("section", { class: "card nothing", "aria-label": "No sites" },
    h("p", {}, "No member of this cluster takes part in sites: it is a cluster of its own."),
    h("p", { class: "under" }, "To join clusters in several data centres, open ", h("code", {}, "Sites.on(node)"), " from ", h("code", {}, "tutti-sites"),
      " at each member; ", h("code", {}, "docs/operating/sites.md"), " describes how."));
}

/** Whether members of the cluster take part in sites. */
export function hasSites(model) {
  return Boolean(model.sites?.own);
}

export class Sites {
  constructor(app) {
    this.app = app;
    this.head = heading();
    this.map = new SiteMap();
    this.stories = new StoryList(30);
    this.sites = siteTable();
    this.links = linkTable();
    this.groups = groupTable();
    this.none = nothing();
    this.content = h("div", { class: "stack" },
      h("div", { class: "grid hero" }, this.map.element, card("story-title", "What happened to sites", this.stories.nothing, this.stories.element)),
      card("sites-title", "Sites and their members", this.sites.element),
      card("site-links-title", "Links to other sites", this.links.element),
      card("site-groups-title", "Groups across sites", this.groups.element));
    this.element = h("div", {}, this.head.element, this.none, this.content);
  }

  show(model) {
    const sites = model.sites;
    const isThere = hasSites(model);
    this.none.hidden = isThere;
    this.content.hidden = !isThere;
    text(this.head.title, isThere ? verdict(sites) : "No sites");
    if (!isThere) {
      text(this.head.line, "");
      return;
    }
    this.head.line.replaceChildren("Seen from site ", h("b", {}, sites.own), `, list number ${sites.number}; `,
      sites.masters.length === 1 ? "its master is " : "its masters are ", sites.masters.length ? links("member", sites.masters) : "not known");
    this.map.show(sites);
    this.sites.show(siteRows(sites), (row) => row.site.name);
    this.links.show(sites.links, (row) => row.group + "\u0000" + row.site);
    this.groups.show(sites.groups, (row) => row.name);
    this.tell();
  }

  tell() { this.stories.show(this.app.stories().filter(isOfSites)); }
}

export class SitePage {
  constructor(app, name) {
    this.app = app;
    this.name = name;
    this.head = heading();
    this.head.element.prepend(h("p", { class: "crumb" }, h("a", { href: "#/sites" }, "Sites")));
    this.facts = h("dl", { class: "facts" });
    this.members = h("ul", { class: "names" });
    this.links = linkTable();
    this.stories = new StoryList(20);
    this.linkCard = card("site-links-title", "Links to it", this.links.element);
    this.element = h("div", {}, this.head.element, h("div", { class: "stack" },
      h("section", { class: "card", "aria-label": "Facts" }, this.facts),
      card("members-title", "Its members, the oldest first", this.members),
      this.linkCard,
      card("story-title", "What happened to it", this.stories.nothing, this.stories.element)));
  }

  show(model) {
    const sites = model.sites;
    const site = hasSites(model) ? sites.sites.find((each) => each.name === this.name) : null;
    text(this.head.title, this.name);
    if (!site) {
      text(this.head.line, "No site of this name is known now.");
      return;
    }
    const isOwn = site.name === sites.own;
    const to = linkTo(sites, this.name);
    text(this.head.line, isOwn ? "The site of this console." : {
      up: "It is up: one of its masters is connected.", suspected: "Its last master has gone, and another may take over.",
      away: "It has had no master for a while. Its members are those that were known last.", expected: "Messages are kept for it. It was not seen yet.",
    }[site.state] ?? "");
    const facts = [["State", WORDS[site.state] ?? site.state], ["Members", count(site.members.length)]];
    if (!isOwn) facts.push(["Messages behind", count(to.messages)], ["Bytes behind", bytes(to.bytes)], ["For", to.messages && to.millis ? duration(to.millis) : "–"]);
    keyed(this.facts, facts, (fact) => fact[0], (fact) => h("div", {}, h("dt", {}, fact[0]), h("dd", {})), (row, fact) => text(row.lastChild, fact[1]));
    keyed(this.members, site.members, (name) => name, (name) => h("li", {}, isOwn ? link("member", name) : name));
    this.linkCard.hidden = isOwn;
    this.links.show(to.all, (row) => row.group);
    this.tell();
  }

  tell() { this.stories.show(this.app.stories().filter((story) => isOfSites(story) && story.thing === this.name)); }
}
