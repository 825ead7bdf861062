"use strict";

const GOODS = ["tea", "coffee", "bread", "apples", "cheese", "honey", "olives", "chocolate"];
const STATUS_MILLIS = 500;
const CART_MILLIS = 700;
const ANSWER_MILLIS_MAX = 12000;
const SQUARES_MAX = 96;

const byId = id => document.getElementById(id);
const pause = millis => new Promise(resolve => setTimeout(resolve, millis));

/** What the page knows. The cart is what the last answer said; expected is what this viewer was told to be in it. */
const known = { cart: null, expected: null, server: null, nodes: [], session: null, hasKilled: false, hasMoved: false };

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const colourOf = node => "c" + ((parseInt(String(node).replace(/\D/g, ""), 10) - 1) % 8 + 1);
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

// ------------------------------------------------------------------------------------------------------------- requests

function square(node, isChange) {
  const strip = byId("requests");
  const mark = element("i", node ? colourOf(node) : "failed");
  mark.title = node ? "answered by " + node : "not answered";
  if (isChange) mark.classList.add("change");
  strip.append(mark);
  while (strip.childElementCount > SQUARES_MAX) strip.firstChild.remove();
}

/** GET, PUT and DELETE mean the same when they are repeated, so one that was cut off by a kill is. */
async function shop(method, path) {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch("/shop/cart" + path, {
        method, headers: { Accept: "application/json" }, cache: "no-store",
        signal: AbortSignal.timeout(ANSWER_MILLIS_MAX),
      });
      if (response.ok) return await response.json();
      if (response.status < 500) throw Object.assign(new Error(await response.text()), { isFinal: true });
    } catch (failure) {
      if (failure.isFinal) throw failure;
    }
    square(null, false);
    if (attempt === 4) throw new Error("no node answers");
    await pause(150 * attempt);
  }
}

// One request after the other: the answers then come in the order of the questions.
let last = Promise.resolve();
function inOrder(work) {
  last = last.then(work, work);
  return last;
}

async function request(method, path, item, quantity) {
  try {
    const cart = await shop(method, path);
    known.expected ??= { ...cart.items };
    if (item) {
      if (quantity > 0) known.expected[item] = quantity; else delete known.expected[item];
    }
    const isMoved = known.server !== null && known.server !== cart.node;
    square(cart.node, isMoved);
    judge(cart, isMoved);
    known.server = cart.node;
    known.session = cart.session;
    known.cart = cart;
  } catch (failure) {
    verdict("bad", failure.message);
  }
  show();
}

/** Whether the cart is what this viewer was told, which is of interest when another node answers. */
function judge(cart, isMoved) {
  const wanted = Object.entries(known.expected);
  const isComplete = wanted.every(([item, quantity]) => cart.items[item] === quantity)
    && Object.keys(cart.items).length === wanted.length;
  if (!isComplete) {
    verdict("bad", `The cart is not what it was: ${cart.node} has other items.`);
  } else if (isMoved) {
    const count = plural(wanted.length, "kind of goods", "kinds of goods");
    verdict("good", `✓ ${cart.node} serves you now, and the cart is complete: ${count}, same session.`);
    if (known.hasKilled) known.hasMoved = true;
  }
}

function verdict(kind, text) {
  const line = byId("verdict");
  line.className = "verdict " + kind;
  line.textContent = text;
}

/** The quantity is reckoned when the request's turn comes, so that quick clicks add up. */
const change = (item, difference) => inOrder(() => {
  const quantity = Math.min(99, Math.max(0, (known.expected?.[item] ?? 0) + difference));
  return quantity > 0
    ? request("PUT", `/${item}?quantity=${quantity}`, item, quantity)
    : request("DELETE", `/${item}`, item, 0);
});

async function control(node, action) {
  if (action === "kill") known.hasKilled = true;
  await fetch(`/demo/nodes/${node}/${action}`, { method: "POST", headers: { "Demo-Control": "page" } });
  await refresh();
}

// ----------------------------------------------------------------------------------------------------------------- show

function show() {
  const { cart, nodes } = known;
  const up = nodes.filter(node => node.state === "up");
  const mine = nodes.find(node => node.name === known.server);
  const isMineUp = mine !== undefined && mine.state === "up";

  if (cart) {
    const served = byId("served");
    served.textContent = isMineUp ? `served by ${cart.node}` : `last served by ${cart.node}, which is down`;
    served.className = "chip " + (isMineUp ? "solid " + colourOf(cart.node) : "dead");
    byId("session").textContent = `session ${cart.session.slice(0, 8)}…`;
    for (const item of GOODS) {
      const row = byId("goods-" + item);
      const quantity = cart.items[item] ?? 0;
      row.classList.toggle("none", quantity === 0);
      row.querySelector(".quantity").textContent = quantity;
      row.querySelector(".less").disabled = quantity === 0;
      row.querySelector(".more").disabled = quantity >= 99;
    }
    const pieces = Object.values(cart.items).reduce((sum, quantity) => sum + quantity, 0);
    byId("total").textContent = pieces === 0
      ? "Nothing yet. Add something with +."
      : `${plural(pieces, "piece", "pieces")}, added in this order: ${cart.order.join(", ")}`;
  }
  const kill = byId("kill-mine");
  kill.disabled = !isMineUp || up.length < 2;
  kill.textContent = !isMineUp ? "Kill the node that serves me"
    : up.length < 2 ? `${known.server} is the last one: start another first`
    : `Kill the node that serves me: ${known.server}`;
  showSteps(cart, nodes);
}

function showSteps(cart, nodes) {
  const isFilled = cart !== null && Object.keys(cart.items).length > 0;
  const isWhole = nodes.length > 0 && nodes.every(node => node.state === "up");
  const done = [isFilled || known.hasKilled, known.hasKilled, known.hasMoved, known.hasMoved && isWhole];
  const now = done.indexOf(false);
  ["step-fill", "step-kill", "step-watch", "step-start"].forEach((id, index) => {
    byId(id).classList.toggle("done", done[index]);
    byId(id).classList.toggle("now", index === now);
  });
}

function cardOf(node) {
  const id = "node-" + node.name;
  let card = byId(id);
  if (!card) {
    card = element("article");
    card.id = id;
    const title = element("h2");
    title.append(element("span", "dot"), element("span", "", node.name));
    const facts = element("dl");
    for (const [key, label] of [["sessions", "sessions held"], ["requests", "requests answered"], ["process", "process"]]) {
      facts.append(element("dt", "", label), element("dd", key));
    }
    const button = element("button");
    button.type = "button";
    button.addEventListener("click", () => control(node.name, button.dataset.action));
    card.append(title, element("div", "badges"), facts, button);
    byId("nodes").append(card);
  }
  return card;
}

function showNode(node) {
  const card = cardOf(node);
  const isMine = node.name === known.server && node.state === "up";
  card.className = `node ${node.state} ${colourOf(node.name)} ${isMine ? "mine" : ""}`;
  const badges = card.querySelector(".badges");
  badges.replaceChildren();
  if (isMine) badges.append(element("span", "chip solid", "serves you"));
  if (node.members && node.members[0] === node.name) badges.append(element("span", "chip", "coordinator"));
  if (node.state === "starting") badges.append(element("span", "chip", "starting …"));
  if (node.state === "down") badges.append(element("span", "chip dead", "down"));
  for (const key of ["sessions", "requests", "process"]) {
    const value = node[key];
    card.querySelector("." + key).textContent = value || (node.state === "up" ? 0 : "–");
  }
  const button = card.querySelector("button");
  const isDown = node.state === "down";
  button.dataset.action = isDown ? "start" : "kill";
  button.className = isDown ? "start" : "kill";
  button.textContent = isDown ? "Start it again" : `kill -9 ${node.name}`;
  button.disabled = node.state === "starting";
}

function showView(nodes) {
  const up = nodes.filter(node => node.state === "up" && node.members);
  const views = new Set(up.map(node => node.view + ":" + node.members.join(",")));
  const line = byId("view");
  if (up.length === 0) {
    line.textContent = "no node is up";
  } else if (views.size > 1) {
    line.textContent = "the view is changing …";
  } else {
    line.textContent = `view ${up[0].view}: ${up[0].members.join(", ")}`;
    line.title = "the members, the coordinator first";
  }
}

let shownEvent = 0;
function showEvents(events) {
  const list = byId("events");
  for (const event of events) {
    if (event.number <= shownEvent) continue;
    shownEvent = event.number;
    const line = element("li");
    line.append(element("time", "", event.time), element("span", event.text.startsWith("kill") ? "kill" : "", event.text));
    list.prepend(line);
  }
  while (list.childElementCount > 40) list.lastChild.remove();
}

async function refresh() {
  try {
    const status = await (await fetch("/demo/status", { cache: "no-store" })).json();
    known.nodes = status.nodes;
    status.nodes.forEach(showNode);
    showView(status.nodes);
    showEvents(status.events);
  } catch (failure) {
    byId("view").textContent = "the demo has ended";
  }
  show();
}

// ---------------------------------------------------------------------------------------------------------------- start

function makeGoods() {
  for (const item of GOODS) {
    const row = element("li", "none");
    row.id = "goods-" + item;
    const less = element("button", "less", "−");
    const more = element("button", "more", "+");
    less.type = more.type = "button";
    less.disabled = more.disabled = true;
    less.setAttribute("aria-label", "one less: " + item);
    more.setAttribute("aria-label", "one more: " + item);
    less.addEventListener("click", () => change(item, -1));
    more.addEventListener("click", () => change(item, 1));
    row.append(element("span", "icon", item[0].toUpperCase()), element("span", "name", item), less,
      element("span", "quantity", "0"), more);
    byId("goods").append(row);
  }
}

async function repeat(work, millis) {
  for (;;) {
    await work();
    await pause(millis);
  }
}

makeGoods();
byId("kill-mine").addEventListener("click", () => control(known.server, "kill"));
repeat(refresh, STATUS_MILLIS);
repeat(() => inOrder(() => request("GET", "")), CART_MILLIS);
