// Contents of blocks, as one member has them: locks and those who wait for them, tasks and their workers, entries of maps.

import { h, table, text } from "./dom.js";
import { isOperator } from "./session.js";

const AGAIN_MILLIS = 2_000;

const TITLES = { locks: "Locks, semaphores and elections: who waits for whom", tasks: "Tasks", workers: "Workers that wait", keys: "Keys", entries: "Entries" };

/** Kinds that everybody may see; the others are for operators. */
const OPEN = ["locks", "tasks", "workers"];

/** Kinds whose rows are found by the beginning of a key. */
const SEARCHED = ["keys", "entries"];

/** Kinds that are shown once, and again when somebody asks: each look at them is in the audit log. */
const ONCE = ["entries"];

async function get(path, parameters) {
  const response = await fetch(path + "?" + new URLSearchParams(parameters));
  const answer = await response.json();
  if (!response.ok || answer.error) throw new Error(answer.error ?? "It can't be shown now.");
  return answer;
}

/** A table of one view, by page; the page that is shown is asked for again and again. */
class View {
  constructor(group, kind, member) {
    this.group = group;
    this.kind = kind;
    this.member = member;
    this.positions = [""];
    this.prefix = "";
    this.place = h("div", {});
    this.told = h("p", { class: "under", role: "status" });
    this.before = h("button", { type: "button", class: "quiet", onclick: () => { this.positions.pop(); this.show(); } }, "Previous page");
    this.after = h("button", { type: "button", class: "quiet", onclick: () => { this.positions.push(this.next); this.show(); } }, "Next page");
    this.pages = h("div", { class: "pages" }, this.before, this.after);
    this.element = h("section", { class: "card", "aria-label": TITLES[kind] ?? kind },
      h("div", { class: "card-head" }, h("h2", {}, TITLES[kind] ?? kind), h("span", { class: "side" }, "as " + member + " has them")),
      SEARCHED.includes(kind) ? this.search() : null, this.place, this.told, this.pages);
    this.show();
  }

  /** A form that finds keys by their beginning. */
  search() {
    const id = `search-${this.kind}`;
    const prefix = h("input", { id, type: "search", autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
    return h("form", { class: "filters", onsubmit: (event) => {
      event.preventDefault();
      this.prefix = prefix.value;
      this.positions = [""];
      this.show();
    } }, h("label", { for: id }, "Keys that begin with ", prefix), h("button", { type: "submit", class: "quiet" }, ONCE.includes(this.kind) ? "Show" : "Find"));
  }

  async show() {
    clearTimeout(this.timer);
    const asked = this.positions.at(-1);
    const prefix = this.prefix;
    try {
      const page = await get("/api/data", { member: this.member, group: this.group, kind: this.kind, prefix, after: asked });
      if (asked !== this.positions.at(-1) || prefix !== this.prefix) return;
      const key = page.columns.join("\u0000");
      if (this.key !== key) {
        this.key = key;
        this.table = table(TITLES[this.kind] ?? this.kind, page.columns.map((head, index) => ({ head, isWide: ONCE.includes(this.kind) ? index === 1 : index > 1, cell: (row) => row.texts[index] || "–" })));
        this.place.replaceChildren(this.table.element);
      }
      this.table.show(page.rows.map((texts, index) => ({ texts, index })), (row) => row.texts[0] + "\u0000" + row.index);
      this.next = page.next;
      this.place.hidden = !page.rows.length;
      text(this.told, page.rows.length ? "" : prefix ? `There are none that begin with ${prefix}.` : "There are none.");
    } catch (failure) {
      this.next = "";
      text(this.told, failure.message);
    }
    this.told.hidden = !this.told.textContent;
    this.before.hidden = this.positions.length < 2;
    this.after.hidden = !this.next;
    this.pages.hidden = this.before.hidden && this.after.hidden;
    if (!this.isClosed && !ONCE.includes(this.kind)) this.timer = setTimeout(() => this.show(), AGAIN_MILLIS);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
  }
}

/** The views of a group at the first of its members that has any. */
export class GroupData {
  constructor(group) {
    this.group = group;
    this.views = [];
    this.element = h("div", { class: "stack data", hidden: true });
  }

  async show(names) {
    if (this.isAsked || !names.length) return;
    this.isAsked = true;
    for (const name of names.slice(0, 8)) {
      try {
        const kinds = ((await get("/api/views", { member: name })).views?.[this.group] ?? []).filter((kind) => OPEN.includes(kind) || isOperator())
          // Entries have keys, too.
          .filter((kind, index, all) => kind !== "keys" || !all.includes("entries"));
        if (!kinds.length || this.isClosed) continue;
        this.views = kinds.map((kind) => new View(this.group, kind, name));
        this.element.replaceChildren(...this.views.map((view) => view.element));
        this.element.hidden = false;
        return;
      } catch {
        // It does not answer; the next one may.
      }
    }
  }

  close() {
    this.isClosed = true;
    this.views.forEach((view) => view.close());
  }
}
