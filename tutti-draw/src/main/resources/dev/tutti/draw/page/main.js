/** The page: hands and eyes of the board. */
import { Link } from "./link.js";
import { PAPER, Painting } from "./paint.js";
import { HEIGHT, SCALE, STROKE_POINTS_MAX, Strokes, WIDTH } from "./strokes.js";

const COLOURS = [
  ["Ink", "33373d"], ["Blue", "2d6cdf"], ["Green", "2f9163"], ["Yellow", "e0a52b"],
  ["Orange", "dd6b37"], ["Red", "c8453c"], ["Violet", "8055c0"], ["Eraser", PAPER],
];
const WIDTHS = [["Fine", 3, 5], ["Middle", 7, 9], ["Broad", 16, 14], ["Widest", 40, 20]];
const ERASER_FACTOR = 2;
const PEOPLE_COLOURS = ["2d6cdf", "2f9163", "b97f10", "cf5a25", "c8453c", "8055c0", "23808f", "a8467f"];
const NAMES = ["Wren", "Heron", "Finch", "Robin", "Swift", "Plover", "Linnet", "Kestrel", "Avocet", "Dunlin", "Siskin", "Curlew"];
const SEND_MILLIS = 40;
const HERE_MILLIS = 80;
const ALIVE_MILLIS = 4_000;
const GONE_MILLIS = 10_000;
const PEOPLE_MAX = 50;
const PEOPLE_SHOWN = 5;
const UNDO_MAX = 200;
const ZOOM_MAX = 8;

const $ = (id) => document.getElementById(id);
const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
const author = Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => letters[byte % 36]).join("");
const key = location.hash.slice(1);

// ---------------------------------------------------------------------------------------------- the board

const strokes = new Strokes((stroke, first) => (stroke ? painting.touch(stroke, first) : painting.touchAll()));
const painting = new Painting($("canvas"), strokes);
const link = new Link(key, {
  lines: (text) => {
    strokes.apply(text);
    $("undo").disabled = !lastOwn();
  },
  here: onHere,
  state: onState,
});
addEventListener("hashchange", () => location.reload());
setInterval(sendPoints, SEND_MILLIS);

let colour = COLOURS[0][1];
let width = WIDTHS[1][1];
/** Strokes of this page, the newest last. */
const own = [];
/** The stroke under the pen: its id, and how many of its points were sent. */
let pen = null;

function lastOwn() {
  while (own.length) {
    const stroke = strokes.byId.get(own[own.length - 1]);
    if (stroke && !stroke.isUndone) return stroke.id;
    own.pop();
  }
  return null;
}

function begin(point) {
  if (link.isFull) return;
  const id = strokes.time + 1 + "." + author;
  const isEraser = colour === PAPER;
  pen = { id, colour, width: Math.min(64, isEraser ? width * ERASER_FACTOR : width), sent: 0, at: performance.now() };
  own.push(id);
  if (own.length > UNDO_MAX) own.shift();
  extend([point]);
}

function extend(points) {
  const stroke = strokes.byId.get(pen.id);
  const known = stroke ? stroke.points : [];
  const fresh = [];
  let [x, y] = known.slice(-2);
  for (const point of points) {
    if (point[0] !== x || point[1] !== y) fresh.push(...point);
    [x, y] = point;
  }
  if (fresh.length) strokes.draw(pen.id, known.length / 2, pen.colour, pen.width, fresh);
  if ((known.length + fresh.length) / 2 > STROKE_POINTS_MAX - 100) {
    const last = points[points.length - 1];
    end();
    begin(last);
  }
}

function end() {
  sendPoints();
  pen = null;
  $("undo").disabled = !lastOwn();
}

function sendPoints() {
  const points = pen && strokes.byId.get(pen.id)?.points;
  if (!points || points.length / 2 <= pen.sent) return;
  link.send(["p", pen.id, pen.sent, pen.colour, pen.width, ...points.slice(2 * pen.sent)].join(" "));
  pen.sent = points.length / 2;
}

function change(line) {
  strokes.apply(line);
  link.send(line);
  $("undo").disabled = !lastOwn();
}

function undo() {
  if (pen) end();
  const id = lastOwn();
  if (id) change("u " + id);
}

// ---------------------------------------------------------------------------------------------- seeing it

const view = { scale: 1, x: 0, y: 0, fit: 1, isFitted: true };

function layOut() {
  const { clientWidth, clientHeight } = $("stage");
  const margin = clientWidth > 640 ? 6 : 0;
  view.fit = Math.min((clientWidth - 2 * margin) / WIDTH, (clientHeight - 2 * margin) / HEIGHT);
  if (view.isFitted) {
    view.scale = view.fit;
    view.x = (clientWidth - WIDTH * view.scale) / 2;
    view.y = (clientHeight - HEIGHT * view.scale) / 2;
  }
  const sheet = $("sheet");
  sheet.style.width = WIDTH * view.scale + "px";
  sheet.style.height = HEIGHT * view.scale + "px";
  sheet.style.transform = `translate(${view.x}px, ${view.y}px)`;
  $("fit").hidden = view.isFitted;
}

/** Zooms about a place of the stage, and moves what was there by dx, dy. */
function zoom(factor, x, y, dx = 0, dy = 0) {
  const scale = Math.min(view.fit * ZOOM_MAX, Math.max(view.fit, view.scale * factor));
  const { clientWidth, clientHeight } = $("stage");
  const place = (at, pan, before, size, whole) => {
    const next = at + pan - ((at - before) / view.scale) * scale;
    const slack = whole - size * scale;
    return slack > 0 ? slack / 2 : Math.min(0, Math.max(slack, next));
  };
  view.isFitted = scale <= view.fit * 1.001;
  view.x = place(x, dx, view.x, WIDTH, clientWidth);
  view.y = place(y, dy, view.y, HEIGHT, clientHeight);
  view.scale = scale;
  layOut();
}

new ResizeObserver(layOut).observe($("stage"));

// ---------------------------------------------------------------------------------------------- hands

/** Pointers that are down, by id, where they are on the stage. */
const down = new Map();
let pinch = null;

function placeOf(event) {
  const box = $("stage").getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function pointOf(event) {
  const [x, y] = placeOf(event);
  const within = (value, max) => Math.min(max, Math.max(0, Math.round(value * SCALE)));
  return [within((x - view.x) / view.scale, WIDTH * SCALE), within((y - view.y) / view.scale, HEIGHT * SCALE)];
}

function measure() {
  const [[ax, ay], [bx, by]] = [...down.values()];
  return { x: (ax + bx) / 2, y: (ay + by) / 2, span: Math.max(10, Math.hypot(bx - ax, by - ay)) };
}

const stage = $("stage");
stage.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  event.preventDefault();
  document.activeElement?.blur();
  stage.setPointerCapture(event.pointerId);
  down.set(event.pointerId, placeOf(event));
  if (down.size === 1) begin(pointOf(event));
  else if (down.size === 2) {
    // A second finger: this was to be a pinch and no stroke.
    const isYoung = pen && performance.now() - pen.at < 300;
    if (pen) end();
    if (isYoung) undo();
    pinch = measure();
  }
});
stage.addEventListener("pointermove", (event) => {
  const point = pointOf(event);
  here.x = point[0] / SCALE;
  here.y = point[1] / SCALE;
  if (!down.has(event.pointerId)) return;
  down.set(event.pointerId, placeOf(event));
  if (pinch && down.size === 2) {
    const next = measure();
    zoom(next.span / pinch.span, pinch.x, pinch.y, next.x - pinch.x, next.y - pinch.y);
    pinch = next;
  } else if (pen) {
    const all = event.getCoalescedEvents?.() ?? [];
    extend((all.length ? all : [event]).map(pointOf));
  }
});
for (const kind of ["pointerup", "pointercancel"]) {
  stage.addEventListener(kind, (event) => {
    down.delete(event.pointerId);
    if (pen) end();
    if (down.size < 2) pinch = null;
  });
}
stage.addEventListener("wheel", (event) => {
  event.preventDefault();
  const [x, y] = placeOf(event);
  if (event.ctrlKey) zoom(Math.exp(-event.deltaY / 150), x, y);
  else zoom(1, x, y, -event.deltaX, -event.deltaY);
}, { passive: false });

function choose(group, chosen) {
  for (const each of group.children) {
    each.setAttribute("aria-checked", each === chosen);
    each.tabIndex = each === chosen ? 0 : -1;
  }
}

function offer(group, name, style, isChosen, onChosen) {
  const button = document.createElement("button");
  button.setAttribute("role", "radio");
  button.setAttribute("aria-label", name);
  button.title = name;
  const mark = button.appendChild(document.createElement("i"));
  for (const [property, value] of Object.entries(style)) mark.style.setProperty(property, value);
  button.addEventListener("click", () => {
    choose(group, button);
    onChosen();
  });
  group.append(button);
  if (isChosen) choose(group, button);
  return button;
}

for (const [name, value] of COLOURS) {
  const button = offer($("colours"), name, value === PAPER ? {} : { "--colour": "#" + value }, value === colour, () => (colour = value));
  if (value === PAPER) button.className = "eraser";
}
for (const [name, value, size] of WIDTHS) {
  offer($("widths"), name, { width: size + "px", height: size + "px" }, value === width, () => (width = value));
}
for (const group of [$("colours"), $("widths")]) {
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...group.children];
    const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
    next.focus();
    next.click();
  });
}
$("undo").addEventListener("click", undo);
$("fit").addEventListener("click", () => {
  view.isFitted = true;
  layOut();
});
$("clear").addEventListener("click", () => {
  const button = $("clear");
  clearTimeout(button.timer);
  if (button.classList.toggle("sure")) button.timer = setTimeout(() => button.classList.remove("sure"), 3_000);
  else if (strokes.sorted.length) {
    if (pen) end();
    change("f " + strokes.last());
  }
});
addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "z") {
    event.preventDefault();
    undo();
  } else if (/^[1-8]$/.test(event.key) && !event.ctrlKey && !event.metaKey) $("colours").children[event.key - 1].click();
});

// ---------------------------------------------------------------------------------------------- who is here

const number = [...author].reduce((sum, each) => sum * 31 + each.charCodeAt(0), 7) >>> 0;
const here = {
  id: author,
  name: remembered("name") || NAMES[number % NAMES.length],
  colour: PEOPLE_COLOURS[number % PEOPLE_COLOURS.length],
};
/** Others, by id. */
const people = new Map();
let told = "";
let toldAt = 0;

function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function tellHere() {
  const text = JSON.stringify(here);
  const now = performance.now();
  if (text !== told || now - toldAt > ALIVE_MILLIS) {
    link.tell(text);
    told = text;
    toldAt = now;
  }
  for (const [id, person] of people) {
    if (now - person.at > GONE_MILLIS) leave(id);
  }
}

function onHere(text) {
  let said;
  try {
    said = JSON.parse(text);
  } catch {
    return;
  }
  const isFit = typeof said?.id === "string" && said.id !== author && typeof said.name === "string"
    && /^[0-9a-f]{6}$/.test(said.colour);
  if (!isFit) return;
  if (said.isGone) return leave(said.id);
  let person = people.get(said.id);
  if (!person) {
    if (people.size >= PEOPLE_MAX) return;
    const mark = document.createElement("div");
    mark.append(document.createElement("span"));
    $("cursors").append(mark);
    person = { mark };
    people.set(said.id, person);
    // Who is new wants to know who is here.
    toldAt = 0;
  }
  const isNew = person.name !== said.name || person.colour !== said.colour;
  Object.assign(person, { name: said.name.slice(0, 24), colour: said.colour, at: performance.now() });
  person.mark.style.setProperty("--who", "#" + said.colour);
  person.mark.firstChild.textContent = person.name;
  person.mark.hidden = !Number.isFinite(said.x) || !Number.isFinite(said.y);
  person.mark.style.left = (100 * said.x) / WIDTH + "%";
  person.mark.style.top = (100 * said.y) / HEIGHT + "%";
  if (isNew) showPeople();
}

function leave(id) {
  people.get(id)?.mark.remove();
  if (people.delete(id)) showPeople();
}

const self = document.createElement("li");
self.className = "self";
self.title = "Your name";
self.style.setProperty("--who", "#" + here.colour);
const field = self.appendChild(document.createElement("input"));
field.value = here.name;
field.maxLength = 24;
field.setAttribute("aria-label", "Your name");
field.addEventListener("change", () => {
  here.name = field.value.trim() || here.name;
  field.value = here.name;
  try {
    localStorage.setItem("name", here.name);
  } catch {
    // A name for this time only.
  }
});
field.addEventListener("keydown", (event) => event.key === "Enter" && field.blur());

function showPeople() {
  const others = [...people.values()];
  const shown = others.slice(0, PEOPLE_SHOWN).map((person) => [person.name.slice(0, 1).toUpperCase(), person.name, person.colour]);
  const more = others.length - shown.length;
  if (more > 0) shown.push(["+" + more, more + " more", "767b83"]);
  const marks = shown.map(([text, title, shade]) => {
    const mark = document.createElement("li");
    mark.className = "dot";
    mark.textContent = text;
    mark.title = title;
    mark.style.setProperty("--who", "#" + shade);
    return mark;
  });
  for (const old of [...$("people").children]) if (old !== self) old.remove();
  $("people").prepend(...marks);
}

$("people").append(self);
setInterval(tellHere, HERE_MILLIS);
addEventListener("pagehide", () => link.tell(JSON.stringify({ ...here, isGone: true })));

// ---------------------------------------------------------------------------------------------- how it goes

function onState(state) {
  const member = state.members.find((each) => each.self);
  const count = state.members.length;
  $("status").className = state.isReady ? "ready" : "";
  $("status").querySelector("span").textContent = state.isReady
    ? `with ${member?.name ?? "a member"}` + (count > 1 ? `, one of ${count}` : "")
    : state.reason ? "looking for another member" : "connecting";
  const isRefused = /log|passcode|refused/i.test(state.reason ?? "") && !state.isReady;
  const text = !key || isRefused
    ? "This board opens with the address that ./tutti draw prints: its key follows the #."
    : !state.isReady && state.waiting > WAITING_SHOWN
      ? "Nobody is there. What you draw is kept, and sent as soon as a member is back."
      : "";
  $("notice").hidden = !text;
  $("notice").textContent = text;
}

const WAITING_SHOWN = 50;

/** For tests and the curious. */
window.board = {
  strokes,
  link,
  view,
  isSettled: () => link.isReady && !link.waiting.length && !painting.dirty.size && !pen,
};
