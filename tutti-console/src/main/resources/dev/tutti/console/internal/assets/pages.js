// The pages: each has an element, shows a model, and may be closed.

import { h, s, table, text, keyed, icon, attribute } from "./dom.js";
import { count, bytes, percent, perSecond, micros, duration, plural, list, value, time } from "./format.js";
import { ClusterMap, pairsOf, relaysOf, isOwn } from "./map.js";
import { Charts } from "./charts.js";
import { StoryList } from "./timeline.js";
import { MemberActions, GroupActions, AttributeActions } from "./actions.js";
import { GroupData } from "./data.js";

const INSPECT_MILLIS = 2_000;

export function link(kind, name) {
  return h("a", { href: `#/${kind}/${encodeURIComponent(name)}` }, name);
}

export function links(kind, names) {
  return h("span", {}, names.flatMap((name, index) => [index ? ", " : null, link(kind, name)]));
}

export function state(kind, words) {
  return h("span", { class: "state " + ({ ok: "", split: "bad", lost: "bad", silent: "bad", warn: "warn" }[kind] ?? "") }, icon(kind), words);
}

export function meter(part, whole, words) {
  const share = whole > 0 ? Math.max(0, Math.min(1, part / whole)) : 0;
  return h("span", { class: "meter" + (share < 0.15 ? " low" : "") },
    s("svg", { width: 72, height: 8, "aria-hidden": "true" },
      s("rect", { class: "track", width: 72, height: 8, rx: 4 }),
      s("rect", { class: "fill", width: Math.max(share > 0 ? 3 : 0, 72 * share).toFixed(0), height: 8, rx: 4 })),
    words);
}

export function card(id, title, ...content) {
  return h("section", { class: "card", "aria-labelledby": id },
    h("div", { class: "card-head" }, h("h2", { id }, title)), ...content);
}

/** A card that can be folded away, and is on a phone. */
function folding(id, title, ...content) {
  return h("details", { class: "card", open: window.innerWidth > 720, "aria-labelledby": id },
    h("summary", { class: "card-head" }, h("h2", { id }, title)), ...content);
}

export function heading(under = true) {
  const title = h("h1", {}, "…");
  const line = h("p", { class: "under" });
  return { element: h("div", { class: "title" }, title, under ? line : null), title, line };
}

/** How things are, in a sentence. */
export function verdict(model) {
  const all = model.groups.filter((group) => group.split);
  // Those of the application, unless there are none.
  const own = all.filter((group) => !group.name.startsWith("tutti."));
  const split = own.length ? own : all;
  const answering = model.members.filter((member) => member.state === "answers").length;
  const silent = model.members.length - answering;
  if (split.length === 1) return `Group ${split[0].name} is split.`;
  if (split.length > 1) return `${split.length} groups are split.`;
  if (silent) return `${plural(silent, "member is", "members are")} not heard, ${answering === 1 ? "one answers" : answering + " answer"}.`;
  const troubled = model.members.filter((member) => member.problems).length;
  if (troubled) return model.members.length === 1 ? "One member, with problems." : `${troubled} of ${plural(model.members.length, "member")} ${troubled === 1 ? "has" : "have"} problems.`;
  if (model.members.length === 1) return "One member, on its own.";
  if (!model.groups.length) return `${plural(model.members.length, "member")}, no groups yet.`;
  return `${plural(model.members.length, "member")}, in agreement.`;
}

// ------------------------------------------------------------------ tables that several pages have

function memberState(row) {
  const problems = row.problems ? ", " + plural(row.problems, "problem") : "";
  return state(row.ready && !row.problems ? "ok" : "warn", (row.ready ? "ready" : "not ready") + problems);
}

/** Attributes of a member as settings write them: zone=eu-1a, rack=r12. */
function attributesOf(member) {
  return Object.entries(member.attributes ?? {}).map(([name, each]) => name + "=" + each).join(", ");
}

/** @param hasAttributes whether there is a column of attributes, which takes room */
function memberTable(hasAttributes = false) {
  return table("Members", [
    { head: "Member", cell: (row) => link("member", row.name), stamp: (row) => row.name },
    { head: "State", cell: (row) => row.state === "answers" ? memberState(row) : state("silent", "not heard"), stamp: (row) => row.state + row.ready + row.problems },
    { head: "Address", cell: (row) => row.address },
    { head: "Groups", cell: (row) => links("group", row.groups), stamp: (row) => row.groups.join() },
    ...hasAttributes ? [{ head: "Attributes", isWide: true, cell: (row) => attributesOf(row) || "–" }] : [],
    { head: "Delivered", isNumber: true, cell: (row) => perSecond(row.delivered) },
    { head: "Sent", isNumber: true, cell: (row) => perSecond(row.out, bytes) },
    { head: "Received", isNumber: true, cell: (row) => perSecond(row.in, bytes) },
    { head: "Kept", isNumber: true, cell: (row) => bytes((row.unstable ?? 0) + (row.retained ?? 0)) },
    { head: "Repairs", isNumber: true, cell: (row) => row.state === "answers" ? count(row.repairsTotal) : "–" },
    { head: "CPU", isNumber: true, cell: (row) => row.state === "answers" ? percent(row.cpu) : "–" },
    { head: "Heap", isNumber: true, cell: (row) => bytes(row.heap) },
    { head: "Up for", isNumber: true, cell: (row) => row.uptime === undefined ? "–" : duration(row.uptime) },
  ]);
}

function linkTable() {
  return table("Links", [
    { head: "Between", cell: (pair) => h("span", {}, link("member", pair.a), " and ", link("member", pair.b)), stamp: (pair) => pair.key },
    { head: "State", cell: (pair) => pair.bad ? state("lost", pair.states.join("; ")) : state("ok", "open"), stamp: (pair) => pair.states.join() },
    { head: "Way", cell: (pair) => pair.relay ? "through " + pair.relay : "direct" },
    { head: "Round trip", isNumber: true, cell: (pair) => micros(pair.roundTrip) },
    { head: "First to second", isNumber: true, cell: (pair) => pair.ab ? perSecond(pair.ab.out, bytes) : pair.ba ? perSecond(pair.ba.in, bytes) : "–" },
    { head: "Second to first", isNumber: true, cell: (pair) => pair.ba ? perSecond(pair.ba.out, bytes) : pair.ab ? perSecond(pair.ab.in, bytes) : "–" },
    { head: "Retained", isNumber: true, cell: (pair) => bytes(pair.retained) },
    { head: "Sent again", isNumber: true, cell: (pair) => count(pair.resent) },
    { head: "Resumed", isNumber: true, cell: (pair) => count(pair.resumes) },
    { head: "Windows", cell: (pair) => pair.closes.length ? [...new Set(pair.closes.map((each) => `${each.by} closes that of ${each.of} in ${each.group}`))].join("; ") : "open" },
  ]);
}

/** Servers that pairs go through; hidden if there are none. */
class Relays {
  constructor() {
    this.servers = table("Rendezvous servers", [
      { head: "Rendezvous server", cell: (row) => row.server },
      { head: "Pairs", isNumber: true, cell: (row) => count(row.pairs.length) },
      { head: "Round trip", isNumber: true, cell: (row) => span(row.roundTrips) },
      { head: "Now", isNumber: true, cell: (row) => perSecond(row.rate, bytes) },
      { head: "So far", isNumber: true, cell: (row) => bytes(row.bytes) },
    ]);
    this.pairs = table("Relayed pairs", [
      { head: "Between", cell: (pair) => h("span", {}, link("member", pair.a), " and ", link("member", pair.b)), stamp: (pair) => pair.key },
      { head: "Through", cell: (pair) => pair.relay },
      { head: "Round trip", isNumber: true, cell: (pair) => micros(pair.roundTrip) },
      { head: "So far", isNumber: true, cell: (pair) => bytes(pair.bytes) },
      { head: "Why not direct", isWide: true, cell: (pair) => pair.reasons.join("; ") || "no direct dial has failed yet" },
    ]);
    this.element = card("relays-title", "Relayed pairs", this.servers.element, this.pairs.element,
      h("p", { class: "under" }, "A pair becomes direct, without a gap, as soon as one of the two can dial the other: open its bind.port, or set bind.advertise if its address is translated."));
    this.element.classList.add("relays");
    this.element.hidden = true;
  }

  show(pairs) {
    const relays = relaysOf(pairs);
    this.element.hidden = relays.length === 0;
    this.servers.show(relays, (row) => row.server);
    this.pairs.show(pairs.filter((pair) => pair.relay), (pair) => pair.key);
  }
}

function span(values) {
  if (!values.length) return "–";
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? micros(least) : micros(least) + " to " + micros(most);
}

function windowTable() {
  return table("Windows", [
    { head: "Member", cell: (row) => link("member", row.name), stamp: (row) => row.name },
    { head: "Group", cell: (row) => link("group", row.group), stamp: (row) => row.group },
    { head: "Window open", cell: (row) => meter(row.open, row.window, `${bytes(row.open)} of ${bytes(row.window)}`), stamp: (row) => row.open + "/" + row.window },
    { head: "Held back by", cell: (row) => row.closedBy ? row.closedBy + " closes it" : row.boundedBy && row.open < row.window ? row.boundedBy : "nobody" },
    { head: "Kept until stable", isNumber: true, cell: (row) => bytes(row.unstable) },
    { head: "Waiting for listener", isNumber: true, cell: (row) => count(row.queued) },
    { head: "Delivered", isNumber: true, cell: (row) => perSecond(row.delivered) },
    { head: "Multicast", isNumber: true, cell: (row) => perSecond(row.sent, bytes) },
    { head: "Repairs sent", isNumber: true, cell: (row) => count(row.repairsTotal) },
    { head: "A send waits for", cell: (row) => row.waitsFor || "nothing" },
  ]);
}

function windowRows(model, name) {
  return model.groups.filter((group) => name ? group.name === name : !isOwn(group.name))
    .flatMap((group) => group.members.map((row) => ({ ...row, group: group.name })));
}

// ------------------------------------------------------------------ pages

export class Overview {
  constructor(app) {
    this.app = app;
    this.head = heading();
    this.attention = h("ul", { class: "attention" });
    this.head.element.append(this.attention);
    this.map = new ClusterMap();
    this.stories = new StoryList(30);
    this.charts = new Charts(app.history);
    this.members = memberTable();
    this.links = linkTable();
    this.windows = windowTable();
    this.relays = new Relays();
    const timeline = card("story-title", "What happened", this.stories.nothing, this.stories.element);
    timeline.firstChild.append(h("a", { class: "side", href: "#/timeline" }, "Whole time line"));
    this.element = h("div", {}, this.head.element, h("div", { class: "stack" },
      h("div", { class: "grid hero" }, this.map.element, timeline),
      this.charts.element,
      card("members-title", "Members", this.members.element),
      folding("windows-title", "Windows: who holds whom back", this.windows.element),
      folding("links-title", "Links", this.links.element),
      this.relays.element));
  }

  show(model) {
    text(this.head.title, verdict(model));
    this.head.line.replaceChildren("Cluster ", h("b", {}, model.cluster || "without a name"), ", ",
      plural(model.groups.filter((group) => !isOwn(group.name)).length, "group"), ", seen from ", h("b", {}, model.self));
    keyed(this.attention, model.attention, (each) => each.text, (each) => h("li", { "data-kind": each.kind }, icon(each.kind === "split" ? "split" : each.kind === "silent" ? "silent" : "warn", 15), h("a", { href: each.where }, each.text)));
    this.map.show(model);
    this.members.show(model.members, (row) => row.name);
    this.windows.show(windowRows(model), (row) => row.name + "\u0000" + row.group);
    const pairs = pairsOf(model.links);
    this.links.show(pairs, (pair) => pair.key);
    this.relays.show(pairs);
    this.tell();
  }

  tell() { this.stories.show(this.app.stories()); }
  draw() { this.charts.show(); }
  restyle() { this.charts.restyle(); }
  close() { this.charts.close(); }
}

export class Members {
  constructor() {
    this.head = heading();
    this.members = memberTable(true);
    this.links = linkTable();
    this.search = h("input", { type: "search", id: "member-search", placeholder: "name, group, zone=eu-1a", autocomplete: "off", spellcheck: "false", oninput: () => this.find() });
    this.told = h("p", { class: "under", role: "status", hidden: true });
    this.attributes = new AttributeActions();
    const list = card("members-title", "Members", this.members.element, this.told);
    list.firstChild.append(h("div", { class: "filters side" }, h("label", { for: "member-search" }, "Find ", this.search)));
    this.element = h("div", {}, this.head.element, h("div", { class: "stack" }, list, this.attributes.element, card("links-title", "Links", this.links.element)));
  }

  find() {
    if (!this.model) return;
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.model.members.filter((row) => {
      const all = [row.name, row.address, ...row.groups, attributesOf(row)].join(" ").toLowerCase();
      return words.every((word) => all.includes(word));
    });
    this.members.show(found, (row) => row.name);
    this.told.hidden = !words.length;
    text(this.told, `${found.length} of ${plural(this.model.members.length, "member")}.`);
  }

  show(model) {
    text(this.head.title, plural(model.members.length, "member"));
    text(this.head.line, "Choose one for all that it knows: its links, threads, counters and settings.");
    this.model = model;
    this.find();
    this.attributes.show(model.members);
    this.links.show(pairsOf(model.links), (pair) => pair.key);
  }
}

export class Groups {
  constructor() {
    this.head = heading();
    this.groups = table("Groups", [
      { head: "Group", cell: (group) => link("group", group.name), stamp: (group) => group.name },
      { head: "State", cell: (group) => group.split ? state("split", `split in ${group.views.length}`) : state("ok", "in agreement"), stamp: (group) => group.split + group.views.length },
      { head: "Views", cell: (group) => group.views.map((view) => view.number).join(", ") },
      { head: "Members", cell: (group) => links("member", group.members.map((row) => row.name)), stamp: (group) => group.members.map((row) => row.name).join() },
      { head: "Coordinator", cell: (group) => [...new Set(group.views.map((view) => view.coordinator))].join(", ") },
      { head: "Order", cell: (group) => group.order },
      { head: "Delivered", isNumber: true, cell: (group) => perSecond(group.members.reduce((total, row) => total + row.delivered, 0)) },
    ]);
    this.windows = windowTable();
    this.element = h("div", {}, this.head.element, h("div", { class: "stack" }, card("groups-title", "Groups", this.groups.element),
      card("windows-title", "Windows: who holds whom back", this.windows.element)));
  }

  show(model) {
    text(this.head.title, plural(model.groups.length, "group"));
    text(this.head.line, "Choose one for its views and its stack, layer by layer.");
    this.groups.show(model.groups, (group) => group.name);
    this.windows.show(windowRows(model), (row) => row.name + "\u0000" + row.group);
  }
}

export class TimeLine {
  constructor(app) {
    this.app = app;
    this.head = heading();
    this.stories = new StoryList(400);
    this.group = h("select", { onchange: () => this.tell() }, h("option", { value: "" }, "all groups"));
    this.member = h("select", { onchange: () => this.tell() }, h("option", { value: "" }, "all members"));
    this.element = h("div", {}, this.head.element, h("div", { class: "stack" },
      h("section", { class: "card", "aria-label": "Time line" },
        h("div", { class: "card-head" }, h("div", { class: "filters" }, h("label", {}, "Group ", this.group), h("label", {}, "Member ", this.member))),
        this.stories.nothing, this.stories.element)));
  }

  show(model) {
    text(this.head.title, "Time line");
    text(this.head.line, model.eventsMissed ? `${model.eventsMissed} events were over before they could be read.` : "Views, merges, state transfers, and what caused them; the newest first.");
    const options = (select, all, names) => keyed(select, ["", ...names], (name) => name, (name) => h("option", { value: name }, name || all));
    options(this.group, "all groups", model.groups.map((group) => group.name));
    options(this.member, "all members", model.members.map((member) => member.name));
    this.tell();
  }

  tell() {
    const group = this.group.value;
    const member = this.member.value;
    this.stories.show(this.app.stories().filter((story) =>
      (!group || story.group === group || story.groups.some((each) => each.name === group))
      && (!member || story.subjects.join(", ").split(", ").includes(member))));
  }
}

/** Asks members for all that they know, again and again while the page is there. */
class Inspections {
  constructor(names, onFound) {
    this.names = names;
    this.onFound = onFound;
    this.found = new Map();
    this.isClosed = false;
    this.isAsking = false;
    this.ask();
  }

  async ask() {
    if (this.isAsking) return;
    this.isAsking = true;
    clearTimeout(this.timer);
    await Promise.all(this.names().slice(0, 8).map(async (name) => {
      try {
        const response = await fetch("/api/inspection?member=" + encodeURIComponent(name), { headers: { Accept: "application/json" } });
        if (response.ok) this.found.set(name, await response.json());
        else this.found.delete(name);
      } catch {
        this.found.delete(name);
      }
    }));
    this.isAsking = false;
    if (this.isClosed) return;
    this.onFound(this.found);
    this.timer = setTimeout(() => this.ask(), this.found.size ? INSPECT_MILLIS : 200);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
  }
}

/** Values by name, a column for each member. */
function compare(element, caption, names, rows) {
  const key = names.join("\u0000");
  if (element.key !== key) {
    element.key = key;
    element.shown = table(caption, [
      { head: caption, cell: (row) => row.name },
      ...names.map((name) => ({ head: name, isNumber: true, cell: (row) => value(row.name, row.values[name]) })),
    ], { folds: false });
    element.replaceChildren(element.shown.element);
  }
  element.shown.show(rows, (row) => row.name);
}

function settingsTable(element, settings) {
  element.shown ??= table("Settings", [
    { head: "Setting", cell: (row) => row[0] },
    { head: "Value", cell: (row) => row[1] === "" ? "–" : String(row[1]) },
  ], { folds: false });
  if (!element.firstChild) element.append(element.shown.element);
  element.shown.show(Object.entries(settings), (row) => row[0]);
}

/** A part that can be folded away: its counters beside its settings. */
function layerCard(name, isOpen) {
  const side = h("span", { class: "side" });
  const counters = h("div", {});
  const settings = h("div", {});
  const right = h("div", {}, h("h3", {}, "Settings"), settings);
  const grid = h("div", { class: "layer-grid" }, h("div", {}, counters), right);
  const element = h("li", {}, h("details", { class: "card", open: isOpen }, h("summary", {}, h("h3", {}, name), side), grid));
  return Object.assign(element, { side, counters, settings, right, grid });
}

function showLayer(card, caption, names, valuesOf, settings) {
  const rows = [];
  const known = new Set();
  for (const name of names) {
    for (const [key, each] of Object.entries(valuesOf(name) ?? {})) {
      if (typeof each === "object" || known.has(key)) continue;
      known.add(key);
      rows.push({ name: key, values: Object.fromEntries(names.map((other) => [other, valuesOf(other)?.[key]])) });
    }
  }
  compare(card.counters, "Value", names, rows);
  const count = Object.keys(settings ?? {}).length;
  card.right.hidden = count === 0;
  card.grid.classList.toggle("two", count > 0);
  if (count) settingsTable(card.settings, settings);
  text(card.side, [plural(rows.length, "value"), count ? plural(count, "setting") : null].filter(Boolean).join(", "));
}

export class GroupPage {
  constructor(app, name) {
    this.app = app;
    this.name = name;
    this.head = heading();
    this.head.element.prepend(h("p", { class: "crumb" }, h("a", { href: "#/groups" }, "Groups")));
    this.map = new ClusterMap(name);
    this.map.chips.hidden = true;
    this.windows = windowTable();
    this.layers = h("ol", { class: "layers" });
    this.actions = new GroupActions(name);
    this.data = new GroupData(name);
    this.stories = new StoryList(20);
    this.element = h("div", {}, this.head.element, h("div", { class: "stack" },
      h("div", { class: "grid hero" }, this.map.element, card("story-title", "What happened here", this.stories.nothing, this.stories.element)),
      this.data.element,
      card("windows-title", "Windows: who holds whom back", this.windows.element),
      this.actions.element,
      h("section", { "aria-labelledby": "stack-title" },
        h("div", { class: "card-head" }, h("h2", { id: "stack-title" }, "The stack, from the application down")), this.layers)));
    this.inspections = new Inspections(() => this.names ?? [], (found) => this.showStack(found));
  }

  show(model) {
    const group = model.groups.find((each) => each.name === this.name);
    text(this.head.title, this.name);
    this.actions.show(group);
    if (!group) {
      text(this.head.line, "Nobody is in this group now.");
      return;
    }
    this.names = group.members.map((row) => row.name);
    if (!this.inspections.found.size) this.inspections.ask();
    this.data.show(this.names);
    text(this.head.line, [group.split ? `Split in ${group.views.length}` : `View ${Math.max(0, ...group.views.map((view) => view.number))}`,
      plural(group.members.length, "member"), group.order].filter(Boolean).join(", ") + ".");
    this.map.show(model);
    this.windows.show(windowRows(model, this.name), (row) => row.name);
    this.tell();
  }

  showStack(found) {
    const groups = new Map();
    for (const [member, document] of found) {
      const group = document.groups.find((each) => each.name === this.name);
      if (group) groups.set(member, group);
    }
    const names = [...groups.keys()].sort();
    if (!names.length) return;
    const first = groups.get(names[0]);
    const settings = first.settings ?? {};
    const parts = Object.keys(first.parts ?? {}).map((name) => ({ name, of: (group) => group.parts?.[name], settings: {} }));
    const layers = [...first.layers].reverse().map((layer) => ({
      name: layer.name,
      of: (group) => group.layers.find((each) => each.name === layer.name)?.values,
      settings: Object.fromEntries(Object.entries({ ...settings, ...layer.settings }).filter(([key]) => key in (layer.settings ?? {}))),
    }));
    const all = [...parts, ...layers];
    if (Object.keys(settings).length) all.push({ name: "all settings of the group", of: () => ({}), settings });
    keyed(this.layers, all, (each) => each.name, (each) => layerCard(each.name, ["membership", "reliability", "delivery"].includes(each.name)),
      (element, each) => showLayer(element, this.name, names, (name) => each.of(groups.get(name)), each.settings));
  }

  tell() {
    this.stories.show(this.app.stories().filter((story) => story.group === this.name || story.groups.some((each) => each.name === this.name)));
  }

  close() {
    this.inspections.close();
    this.data.close();
  }
}

export class MemberPage {
  constructor(app, name) {
    this.app = app;
    this.name = name;
    this.head = heading();
    this.head.element.prepend(h("p", { class: "crumb" }, h("a", { href: "#/members" }, "Members")));
    this.facts = h("dl", { class: "facts" });
    this.actions = new MemberActions(name);
    this.attributes = new AttributeActions(name);
    this.windows = windowTable();
    this.links = linkTable();
    this.parts = h("ol", { class: "layers" });
    this.stories = new StoryList(20);
    this.element = h("div", {}, this.head.element, h("div", { class: "stack" },
      h("section", { class: "card", "aria-label": "Facts" }, this.facts),
      this.actions.element,
      this.attributes.element,
      card("windows-title", "Its groups and windows", this.windows.element),
      card("links-title", "Its links", this.links.element),
      card("story-title", "What happened to it", this.stories.nothing, this.stories.element),
      h("section", { "aria-labelledby": "parts-title" }, h("div", { class: "card-head" }, h("h2", { id: "parts-title" }, "All that it knows")), this.parts)));
    this.inspections = new Inspections(() => [name], (found) => this.showParts(found.get(name)));
  }

  show(model) {
    const member = model.members.find((each) => each.name === this.name);
    text(this.head.title, this.name);
    this.actions.show(member);
    this.attributes.show(member?.state === "answers" ? [member] : []);
    if (!member) {
      text(this.head.line, "No member of this name is known now.");
      return;
    }
    const answers = member.state === "answers";
    text(this.head.line, answers ? (member.reasons.length ? member.reasons.join("; ") : "All is well.") : "It does not answer; this is what others know of it.");
    const facts = [["Address", member.address]];
    if (attributesOf(member)) facts.push(["Attributes", attributesOf(member)]);
    if (answers) {
      facts.push(["Up for", duration(member.uptime)], ["CPU", percent(member.cpu)],
        ["Heap", bytes(member.heap) + " of " + bytes(member.heapMax)], ["Delivered", perSecond(member.delivered)],
        ["Sent", perSecond(member.out, bytes)], ["Received", perSecond(member.in, bytes)], ["Kept", bytes(member.unstable + member.retained)],
        ["Does not hear", member.suspects.length ? list(member.suspects) : "nobody"]);
    }
    keyed(this.facts, facts, (fact) => fact[0], (fact) => h("div", {}, h("dt", {}, fact[0]), h("dd", {})), (row, fact) => text(row.lastChild, fact[1]));
    this.windows.show(model.groups.flatMap((group) => windowRows(model, group.name)).filter((row) => row.name === this.name), (row) => row.group);
    this.links.show(pairsOf(model.links.filter((each) => each.from === this.name || each.to === this.name)), (pair) => pair.key);
    this.tell();
  }

  showParts(document) {
    if (!document) return;
    const { settings, transport, ...node } = document.node;
    const all = [
      { name: "node", values: node, settings },
      { name: "transport", values: transport ?? {}, settings: {} },
      ...Object.entries(document.parts).map(([name, values]) => ({ name, values, settings: {} })),
      ...document.links.flatMap((each) => Object.entries(each.parts).map(([part, values]) => ({
        name: `${part} to ${each.peer}${each.state === "open" ? "" : ` (${each.state})`}`, values: { state: each.state, local: each.local, remote: each.remote, ...values }, settings: {} }))),
      { name: "threads", values: Object.fromEntries((document.threads ?? []).map((thread) => [thread.name, thread.state])), settings: {} },
    ];
    keyed(this.parts, all, (each) => each.name, (each) => layerCard(each.name, false),
      (element, each) => showLayer(element, this.name, [this.name], () => each.values, each.settings));
  }

  tell() {
    this.stories.show(this.app.stories().filter((story) => story.subjects.join(", ").split(", ").includes(this.name) || story.cause.includes(this.name + " ")));
  }

  close() { this.inspections.close(); }
}
