/**
 * Keeps the page with a member, and goes on at another one when that is gone.
 *
 * What is drawn is sent with a receipt, and kept until the receipt says that all members have it. At another member the whole
 * board is taken once more, and what has no receipt is sent again; lines may come twice, so that nothing is drawn twice.
 */
import { Stomp } from "./stomp.js";

const STROKES = "/draw/strokes";
const HERE = "/draw/here";
const LOOK = "/draw/look";
const INFO = "/info";
/** Lines that wait for a receipt or for a member; beyond, the page lets nobody draw. */
const WAITING_MAX = 5_000;
/** Of them on their way; a member allows a client 1,000. */
const IN_FLIGHT_MAX = 200;
const PAUSES_MILLIS = [0, 100, 300, 1_000, 2_000];
const MEMBERS_KNOWN_MAX = 64;

export class Link {
  /** @param on what is told: lines(text), here(text), state({isReady, place, members, waiting, reason}) */
  constructor(key, on) {
    this.key = key;
    this.on = on;
    this.places = [location.origin.replace(/^http/, "ws") + "/"];
    this.at = 0;
    this.failures = 0;
    this.members = [];
    this.waiting = [];
    this.sent = 0;
    this.number = 0;
    this.isReady = false;
    this.connect();
  }

  get isFull() {
    return this.waiting.length >= WAITING_MAX;
  }

  /** Sends lines of the board, at once or as soon as a member is there. */
  send(lines) {
    this.waiting.push({ receipt: "s" + this.number++, lines });
    this.pump();
  }

  /** Says something about this page that need not arrive. */
  tell(text) {
    if (this.isReady) this.stomp.send(HERE, text);
  }

  pump() {
    while (this.isReady && this.sent < Math.min(this.waiting.length, IN_FLIGHT_MAX)) {
      const next = this.waiting[this.sent++];
      this.stomp.send(STROKES, next.lines, next.receipt);
    }
    this.report();
  }

  connect() {
    const place = this.places[this.at % this.places.length];
    const stomp = new Stomp(place, this.key, {
      connected: (headers) => {
        this.learn((headers.endpoints ?? "").split(","));
        stomp.subscribe(HERE);
        stomp.subscribe(LOOK);
        stomp.subscribe(INFO);
        stomp.subscribe(STROKES, "board");
      },
      message: (headers, body) => this.onMessage(place, headers, body),
      receipt: (id) => (id === "board" ? this.look(stomp, place, true) : this.onReceipt(id)),
      closed: (reason) => this.onClosed(reason),
    });
    this.stomp = stomp;
  }

  onMessage(place, headers, body) {
    if (headers.destination === STROKES) this.on.lines(body);
    else if (headers.destination === HERE) this.on.here(body);
    else if (headers.destination === LOOK) this.look(this.stomp, place, false);
    else if (headers.destination === INFO) {
      this.members = JSON.parse(body).members;
      this.learn(this.members.flatMap((member) => member.endpoints));
      this.report();
    }
  }

  /** Takes all of the board: what is delivered from now on comes anyway, and the rest is in it. */
  async look(stomp, place, isFirst) {
    try {
      const response = await fetch(place.replace(/^ws/, "http") + "board?key=" + encodeURIComponent(this.key));
      if (!response.ok) throw new Error("the board was refused: " + response.status);
      const lines = await response.text();
      if (stomp.isClosed) return;
      this.on.lines(lines);
      if (isFirst) {
        this.failures = 0;
        this.sent = 0;
        this.isReady = true;
        this.place = place;
        this.pump();
      }
    } catch (error) {
      stomp.close(error.message);
    }
  }

  onReceipt(id) {
    const index = this.waiting.findIndex((each) => each.receipt === id);
    if (index < 0) return;
    this.waiting.splice(index, 1);
    if (index < this.sent) this.sent--;
    this.pump();
  }

  onClosed(reason) {
    this.isReady = false;
    this.reason = reason;
    this.sent = 0;
    this.report();
    this.at = (this.at + 1) % this.places.length;
    const round = Math.floor(this.failures++ / this.places.length);
    setTimeout(() => this.connect(), PAUSES_MILLIS[Math.min(round, PAUSES_MILLIS.length - 1)]);
  }

  /** New places come first: they are known to be there. The one where this page is from is never forgotten. */
  learn(endpoints) {
    const current = this.places[this.at % this.places.length];
    const fresh = endpoints.filter((each) => /^wss?:/.test(each) && !this.places.includes(each));
    if (!fresh.length) return;
    this.places = [...fresh, ...this.places.slice(0, -1)].slice(0, MEMBERS_KNOWN_MAX - 1).concat(this.places.slice(-1));
    this.at = Math.max(0, this.places.indexOf(current));
  }

  report() {
    this.on.state({
      isReady: this.isReady,
      place: this.place,
      members: this.members,
      waiting: this.waiting.length,
      reason: this.reason,
    });
  }
}
