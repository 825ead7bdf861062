// The person who is logged in, and requests that change something.

import { h, text } from "./dom.js";

const ROLES = ["reader", "operator"];

export const session = { name: "", role: "reader", proof: "" };

/** Returns a sentence: a capital at its beginning, a full stop at its end. */
function sentence(words) {
  return words ? words[0].toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? "" : ".") : "";
}

export async function loadSession() {
  const response = await fetch("/api/session");
  if (response.ok) Object.assign(session, await response.json());
  return session;
}

export function isOperator() {
  return session.role === "operator";
}

/** Sends a form with the session's proof; returns the answer, or throws an error whose message is for people. */
export async function post(path, parameters) {
  let response;
  let answer;
  try {
    response = await fetch(path, { method: "POST", headers: { "X-Tutti-Proof": session.proof }, body: new URLSearchParams(parameters) });
    answer = await response.json();
  } catch {
    throw new Error(response?.status === 401 ? "The log-in is over." : "The console does not answer.");
  }
  if (!response.ok) throw new Error(sentence(answer.error ?? "The console has refused this"));
  return answer;
}

/** Opens a dialog with a title; it is gone when it is closed. */
export function dialog(title, ...content) {
  const close = h("button", { type: "button", class: "quiet", onclick: () => element.close() }, "Close");
  const element = h("dialog", { class: "dialog", "aria-label": title, onclose: () => element.remove() },
    h("h2", {}, title), ...content, h("div", { class: "dialog-end" }, close));
  document.body.append(element);
  element.showModal();
  return { element, close };
}

/** A dialog that makes a link for the next person. */
export function invite() {
  const role = h("select", { id: "invite-role" }, ROLES.slice(0, ROLES.indexOf(session.role) + 1).map((each) => h("option", { value: each }, each)));
  const link = h("input", { id: "invite-link", readonly: true, "aria-label": "Link", onfocus: () => link.select() });
  const copy = h("button", { type: "button", class: "quiet", onclick: async () => {
    try {
      await navigator.clipboard.writeText(link.value);
      text(copy, "Copied");
    } catch {
      // No permission, or no secure origin: the link is selected instead.
      link.select();
    }
  } }, "Copy");
  const result = h("div", { class: "invite-link", hidden: true }, link, copy);
  const told = h("p", { class: "under", role: "status" }, "Anybody who opens the link is logged in with this role.");
  const make = h("button", { type: "button", class: "act", onclick: async () => {
    make.disabled = true;
    try {
      const answer = await post("/api/link", { role: role.value });
      link.value = answer.link;
      result.hidden = false;
      text(copy, "Copy");
      text(told, `The link is good once, and for ${answer.minutes} minutes: it logs in the first person who opens it, as ${answer.role}.`);
    } catch (failure) {
      result.hidden = true;
      text(told, failure.message);
    } finally {
      make.disabled = false;
    }
  } }, "Make a link");
  dialog("A link for the next person", h("p", { class: "fields" }, h("label", { for: "invite-role" }, "Role"), role, make), result, told);
}
