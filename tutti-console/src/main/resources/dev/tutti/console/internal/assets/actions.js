// Changes of members, for operators: each is confirmed in a dialog, which shows how it ended.

import { h, text, attribute } from "./dom.js";
import { plural } from "./format.js";
import { dialog, post, isOperator } from "./session.js";

/** Settings of a group that members may change while they are in it. */
const SETTINGS = ["send-timeout", "leave-timeout", "on-stuck", "stuck-timeout"];

/** Asks whether to go on; `parameters` returns what is sent. */
function confirm(title, words, verb, isGrave, parameters, ...fields) {
  const told = h("div", { class: "outcomes", role: "status" });
  const go = h("button", { type: "button", class: isGrave ? "act grave" : "act", onclick: async () => {
    go.disabled = true;
    told.replaceChildren(h("p", { class: "under" }, "Asking…"));
    try {
      const answer = await post("/api/operation", parameters());
      told.replaceChildren(h("p", {}, h("b", {}, answer.done ? "Done." : "Not done.")),
        h("ul", {}, answer.outcomes.map((each) => h("li", { class: each.done ? null : "bad" }, (each.member && !each.text.startsWith(each.member) ? each.member + ": " : "") + each.text))));
      go.hidden = answer.done;
    } catch (failure) {
      told.replaceChildren(h("p", { class: "bad" }, failure.message));
    }
    go.disabled = false;
  } }, verb);
  const shown = dialog(title, h("p", {}, words), ...fields, told);
  shown.close.before(go);
}

function button(words, onclick) {
  return h("button", { type: "button", class: "quiet", onclick }, words);
}

/** The bar of a member's page. */
export class MemberActions {
  constructor(name) {
    this.name = name;
    this.group = h("select", { "aria-label": "Group to leave" });
    this.buttons = [
      button("Drain calls…", () => confirm(`Drain calls to ${name}`, "Other members call it no more; calls that were made before are answered. It stays in its groups, and is called again when it has left and joined again.", "Drain", false,
        () => ({ operation: "drain", member: name }))),
      button("Leave a group…", () => confirm(`Have ${name} leave a group`, "It leaves in order, and its application gets nothing more of the group until it joins again.", "Leave", false,
        () => ({ operation: "leave", member: name, group: this.group.value }), h("p", { class: "fields" }, "Group ", this.group))),
      button("Stop…", () => confirm(`Stop ${name}`, "It drains its calls, leaves all its groups and closes its node. Its process goes on without it: start it again to have it back.", "Stop " + name, true,
        () => ({ operation: "stop", member: name }))),
      button("Exclude…", () => confirm(`Exclude ${name}`, "All other members end their sessions with this process, and let it not come in again. A new process of the same name may come in. All others have to permit it.", "Exclude " + name, true,
        () => ({ operation: "exclude", member: name }))),
    ];
    this.hint = h("p", { class: "under" });
    this.element = h("section", { class: "card actions", "aria-labelledby": "operations-title", hidden: true },
      h("div", { class: "card-head" }, h("h2", { id: "operations-title" }, "Operations")), h("div", { class: "fields" }, this.buttons), this.hint);
  }

  show(member) {
    this.element.hidden = !isOperator() || !member;
    if (!member) return;
    const permits = member.operable === true;
    // A member that does not answer can still be excluded by the others.
    this.buttons.forEach((each, index) => attribute(each, "disabled", index < 3 && !permits));
    this.hint.hidden = permits;
    text(this.hint, member.state === "answers" ? `${this.name} permits no changes: its operator.key-file is not set.` : `${this.name} does not answer; others can exclude it.`);
    const names = member.groups.filter((group) => !group.startsWith("tutti."));
    if (this.known !== names.join()) {
      this.known = names.join();
      this.group.replaceChildren(...names.map((each) => h("option", { value: each }, each)));
    }
    attribute(this.buttons[1], "disabled", !permits || !names.length);
  }
}

/** The card of a group's page that changes settings. */
export class GroupActions {
  constructor(name) {
    this.name = name;
    const setting = h("select", { id: "change-setting" }, SETTINGS.map((each) => h("option", { value: each }, each)));
    const value = h("input", { id: "change-value", autocomplete: "off", placeholder: "10 s" });
    this.member = h("select", { id: "change-member" });
    const change = button("Change…", () => {
      if (!value.value.trim()) {
        value.focus();
        return;
      }
      const all = this.member.value === "*";
      confirm(`Change ${setting.value} of ${name}`, `${setting.value} becomes ${value.value.trim()} at ${all ? plural(this.count, "member") : this.member.value}, until the group is joined anew: files and code of the members stay as they are.`,
        "Change", false, () => ({ operation: "change", member: this.member.value, group: name, setting: setting.value, value: value.value.trim() }));
    });
    this.element = h("section", { class: "card actions", "aria-labelledby": "change-title", hidden: true },
      h("div", { class: "card-head" }, h("h2", { id: "change-title" }, "Change a setting")),
      h("div", { class: "fields" }, h("label", { for: "change-setting" }, "Setting"), setting, h("label", { for: "change-value" }, "Value"), value,
        h("label", { for: "change-member" }, "At"), this.member, change));
  }

  show(group) {
    this.element.hidden = !isOperator() || !group || group.name.startsWith("tutti.");
    if (!group) return;
    const names = group.members.map((row) => row.name);
    if (this.known === names.join()) return;
    this.known = names.join();
    this.count = names.length;
    const chosen = this.member.value;
    this.member.replaceChildren(h("option", { value: "*" }, "all members"), ...names.map((each) => h("option", { value: each }, each)));
    if (names.includes(chosen)) this.member.value = chosen;
  }
}

/** An input with its label, which stay in one line. */
function field(words, input) {
  return h("span", { class: "field" }, h("label", { for: input.id }, words), input);
}

/** The card that sets or removes an attribute, of one member or, without a name, of a chosen one or all. */
export class AttributeActions {
  constructor(name) {
    this.name = name;
    this.known = "";
    this.count = 0;
    this.names = h("datalist", { id: "attribute-names" });
    this.attribute = h("input", { id: "attribute-name", list: "attribute-names", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 64, placeholder: "zone" });
    this.value = h("input", { id: "attribute-value", autocomplete: "off", maxlength: 256, placeholder: "eu-1a" });
    this.member = h("select", { id: "attribute-member" });
    this.buttons = [button("Set…", () => this.ask(true)), button("Remove…", () => this.ask(false))];
    this.hint = h("p", { class: "under" });
    this.element = h("section", { class: "card actions", "aria-labelledby": "attribute-title", hidden: true },
      h("div", { class: "card-head" }, h("h2", { id: "attribute-title" }, "Change an attribute")),
      h("div", { class: "fields" }, field("Attribute", this.attribute), this.names, field("Value", this.value), name ? null : field("At", this.member), this.buttons), this.hint);
  }

  ask(isSet) {
    const name = this.attribute.value.trim();
    if (!name) {
      this.attribute.focus();
      return;
    }
    const member = this.name ?? this.member.value;
    const where = member === "*" ? plural(this.count, "member") : member;
    const words = isSet ? `${name} becomes ${this.value.value.trim() || "an empty text"} at ${where}` : `${name} is removed at ${where}`;
    confirm(isSet ? `Set the attribute ${name}` : `Remove the attribute ${name}`,
      `${words}, and is announced to all others. It lasts until the program changes it or starts anew: then it has the attributes of its settings again.`,
      isSet ? "Set" : "Remove", false,
      () => ({ operation: isSet ? "set-attribute" : "remove-attribute", member, attribute: name, ...(isSet ? { value: this.value.value.trim() } : {}) }));
  }

  /** @param members those that it is about */
  show(members) {
    this.element.hidden = !isOperator() || !members.length;
    const able = members.filter((each) => each.announces);
    this.count = able.length;
    const permits = able.some((each) => each.operable);
    this.buttons.forEach((each) => attribute(each, "disabled", !permits));
    this.hint.hidden = permits;
    text(this.hint, !able.length ? `${this.name ?? "No member"} announces ${this.name ? "no" : "any"} attributes: a program has to join them, by Attributes.join.`
      : `${this.name ?? "No member"} permits ${this.name ? "no " : "any "}changes: operator.key-file is not set.`);
    const attributes = [...new Set(able.flatMap((each) => Object.keys(each.attributes)))].sort();
    const names = able.map((each) => each.name);
    const known = attributes.join() + "\u0000" + names.join();
    if (this.known === known) return;
    this.known = known;
    this.names.replaceChildren(...attributes.map((each) => h("option", { value: each })));
    const chosen = this.member.value;
    this.member.replaceChildren(h("option", { value: "*" }, "all that announce attributes"), ...names.map((each) => h("option", { value: each }, each)));
    if (names.includes(chosen)) this.member.value = chosen;
  }
}
