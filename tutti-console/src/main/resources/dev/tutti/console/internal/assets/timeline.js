// What happened, newest first, and why.

import { h, keyed, text, attribute, icon } from "./dom.js";
import { time, plural, list } from "./format.js";

const WARNS = new Set(["sites-suspected", "sites-dropped", "sites-gap", "late", "problem", "slow-listener", "send-waited", "stack-mismatch", "unreachable", "refused", "link-resumed", "operation"]);
const ICON_OF = { joined: "joined", left: "left", "left-group": "left", lost: "lost", silent: "silent", merged: "merged", started: "started", state: "state",
  "sites-up": "joined", "sites-back": "merged", "sites-away": "lost" };

/** The story in words; names apart, so that they can stand out. */
export function sentence(story) {
  const names = story.subjects;
  if (!names.length && story.text) return [story.text[0].toUpperCase() + story.text.slice(1)];
  switch (story.kind) {
    case "joined": return [names, " joined"];
    case "left": return [names, " left"];
    case "lost": return [names, names.length === 1 ? " was lost" : " were lost"];
    case "silent": return [names, " fell silent"];
    case "merged": return [["Sides met: "], ...names.flatMap((side, index) => [index ? " and " : "", [side]])];
    case "started": return [names, " started"];
    case "view": return ["The view changed"];
    case "left-group": return [names, " left " + (story.group || "its group")];
    case "state": return [names, ": " + story.text];
    default: return [names, ": " + story.text];
  }
}

export function plain(story) {
  return sentence(story).map((part) => (Array.isArray(part) ? list(part) : part)).join("") + (story.cause ? ". " + story.cause : "");
}

export class StoryList {
  constructor(max) {
    this.max = max;
    this.element = h("ol", { class: "story-list" });
    this.nothing = h("p", { class: "empty" }, "Nothing has happened yet.");
  }

  show(stories) {
    this.nothing.hidden = stories.length > 0;
    keyed(this.element, stories.slice(0, this.max), (story) => story.id, () => h("li", { class: "story" },
      h("span", { class: "mark" }), h("p", { class: "what" }), h("time", {}), h("p", { class: "why" }), h("p", { class: "outcomes" })),
    (item, story) => {
      const stamp = JSON.stringify(story);
      if (item.stamp === stamp) return;
      item.stamp = stamp;
      const [mark, what, when, why, outcomes] = item.children;
      attribute(item, "data-kind", story.kind);
      attribute(item, "data-warns", WARNS.has(story.kind) ? "" : null);
      mark.replaceChildren(icon(ICON_OF[story.kind] ?? (WARNS.has(story.kind) ? "warn" : "view"), 13));
      what.replaceChildren(...sentence(story).map((part) => (Array.isArray(part) ? h("b", {}, list(part)) : part)),
        story.seenBy ? h("span", { class: "faint" }, ", as " + story.seenBy + " saw it, alone") : "",
        story.count > 1 ? h("span", { class: "faint" }, ` (${story.count} times)`) : "");
      text(when, time(story.at));
      attribute(when, "datetime", new Date(story.at).toISOString());
      text(why, story.cause ? story.cause[0].toUpperCase() + story.cause.slice(1) + (/[.!?]$/.test(story.cause) ? "" : ".") : "");
      why.hidden = !story.cause;
      const isOfSite = story.kind.startsWith("sites-") && story.thing;
      outcomes.hidden = story.groups.length === 0 && !isOfSite;
      outcomes.replaceChildren(...(isOfSite ? [h("a", { class: "pill", href: "#/site/" + encodeURIComponent(story.thing) }, "site ", h("b", {}, story.thing))] : []), ...story.groups.map((group) => h("a", { class: "pill", href: "#/group/" + encodeURIComponent(group.name) },
        h("b", {}, group.name), ` view ${group.number}, ${plural(group.members.length, "member")}`)));
    });
  }
}
