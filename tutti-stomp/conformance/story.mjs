// The steps of a user of @stomp/stompjs, in Node and in a browser: every version, and the death of the member that serves it.

const DEADLINE = 30_000;

function check(isRight, what) {
  if (!isRight) throw new Error(what);
}

class Heard {
  messages = [];
  receipts = new Set();
  errors = [];
  connected = {};
  isGone = false;

  async wait(what, condition) {
    const end = Date.now() + DEADLINE;
    while (!condition(this)) {
      check(Date.now() < end, `not within ${DEADLINE} ms: ${what}`);
      await new Promise((done) => setTimeout(done, 5));
    }
  }
}

function connect(environment, port, version = "1.2") {
  const heard = new Heard();
  const client = new environment.StompJs.Client({
    webSocketFactory: () => environment.socket(port),
    stompVersions: new environment.StompJs.Versions([version]),
    connectHeaders: { login: "ann", passcode: "a:passcode" },
    reconnectDelay: 0,
    heartbeatIncoming: 2_000,
    heartbeatOutgoing: 2_000,
  });
  client.onUnhandledReceipt = (frame) => heard.receipts.add(frame.headers["receipt-id"]);
  client.onStompError = (frame) => heard.errors.push(frame);
  client.onWebSocketClose = () => { heard.isGone = true; };
  return new Promise((resolve, reject) => {
    client.onConnect = (frame) => {
      heard.connected = frame.headers;
      resolve([client, heard]);
    };
    client.onWebSocketError = (event) => reject(new Error(`port ${port}: ${event.message ?? "no connection"}`));
    client.activate();
  });
}

async function basics(environment, version) {
  const [client, heard] = await connect(environment, environment.ports[0], version);
  const [other, otherHeard] = await connect(environment, environment.ports[2], version);
  check(heard.connected.version === version, JSON.stringify(heard.connected));
  const destination = `/topic/js-${environment.name}/${version}`;
  other.subscribe(destination, (message) => otherHeard.messages.push(message), { receipt: "s" });
  const own = client.subscribe(destination, (message) => heard.messages.push(message), {
    ack: "client-individual", receipt: "s",
  });
  for (const each of [heard, otherHeard]) await each.wait("subscriptions", (it) => it.receipts.has("s"));
  // This client escapes in 1.2 only, although 1.1 has escapes, too.
  const value = version === "1.2" ? "a:b\nc\\d" : "plain";
  client.publish({ destination, body: "hällo", headers: { key: value, receipt: "r1" } });
  client.publish({ destination, binaryBody: new Uint8Array([255, 0, 254]), headers: { receipt: "r2" } });
  await heard.wait("receipts", (it) => it.receipts.has("r1") && it.receipts.has("r2"));
  for (const each of [heard, otherHeard]) {
    await each.wait("messages", (it) => it.messages.length === 2);
    check(each.messages[0].body === "hällo", each.messages[0].body);
    check(each.messages[0].headers.key === value, JSON.stringify(each.messages[0].headers));
    check([...each.messages[1].binaryBody].join() === "255,0,254", [...each.messages[1].binaryBody].join());
  }
  heard.messages[0].ack();
  if (version !== "1.0") heard.messages[1].nack();
  const kept = client.begin();
  const dropped = client.begin();
  client.publish({ destination, body: "kept", headers: { transaction: kept.id } });
  client.publish({ destination, body: "dropped", headers: { transaction: dropped.id } });
  dropped.abort();
  kept.commit();
  await otherHeard.wait("the transaction", (it) => it.messages.length === 3);
  check(otherHeard.messages[2].body === "kept", otherHeard.messages[2].body);
  own.unsubscribe();
  await client.deactivate();
  other.publish({ destination: "/nowhere", body: "x" });
  await otherHeard.wait("an error", (it) => it.errors.length === 1 && it.errors[0].headers.message.includes("/topic/"));
  await otherHeard.wait("the end", (it) => it.isGone);
}

/** A member keeps so many messages for who has not acknowledged them, and refuses more. */
async function acknowledgements(environment) {
  const destination = `/topic/js-${environment.name}/acknowledged`;
  const some = Math.floor(environment.unacked * 2 / 3);
  const [client, heard] = await connect(environment, environment.ports[0]);
  let number = 0;
  const receive = async (acknowledge) => {
    const before = heard.messages.length;
    for (let count = 0; count < some; count++, number++) {
      client.publish({ destination, body: `a${number}`, headers: { receipt: `a${number}` } });
    }
    await heard.wait("messages to acknowledge", (it) => it.messages.length === before + some);
    acknowledge(heard.messages.slice(before));
  };
  const inTransaction = (end) => (messages) => {
    const transaction = client.begin();
    for (const message of messages) message.ack({ transaction: transaction.id });
    end(transaction);
  };
  const all = client.subscribe(destination, (message) => heard.messages.push(message), { ack: "client" });
  for (let round = 0; round < 3; round++) await receive((messages) => messages.at(-1).ack());
  all.unsubscribe();
  client.subscribe(destination, (message) => heard.messages.push(message), { ack: "client-individual" });
  for (let round = 0; round < 3; round++) await receive((messages) => messages.forEach((message) => message.ack()));
  for (let round = 0; round < 3; round++) await receive(inTransaction((transaction) => transaction.commit()));
  await heard.wait("receipts", (it) => it.receipts.size === number);
  check(heard.errors.length === 0, "an error though all was acknowledged");
  await receive(inTransaction((transaction) => transaction.abort()));
  for (let count = 0; count < some && client.connected; count++) client.publish({ destination, body: "too many" });
  await heard.wait("an error", (it) => it.errors.length === 1 && it.errors[0].headers.message.includes("wait for ACK"));
  await heard.wait("the end", (it) => it.isGone);
}

async function heartBeats(environment) {
  const [client, heard] = await connect(environment, environment.ports[0]);
  await new Promise((done) => setTimeout(done, 6_000));
  check(!heard.isGone && heard.errors.length === 0, "silence was taken for the end");
  await client.deactivate();
}

const portsOf = (endpoints) =>
  endpoints.split(",").filter((each) => each.startsWith("ws://")).map((each) => Number(new URL(each).port));

async function failOver(environment, count = 400) {
  const destination = `/topic/js-${environment.name}/failover`;
  const [control, controlHeard] = await connect(environment, environment.ports[0]);
  control.subscribe(destination, (message) => controlHeard.messages.push(message), { receipt: "s" });
  const infos = [];
  control.subscribe("/info", (message) => infos.push(JSON.parse(message.body)));
  const [subscriber, subscriberHeard] = await connect(environment, environment.ports[1]);
  subscriber.subscribe(destination, (message) => subscriberHeard.messages.push(message), { receipt: "s" });
  const [sender, senderHeard] = await connect(environment, environment.ports[1]);
  for (const each of [controlHeard, subscriberHeard]) await each.wait("subscriptions", (it) => it.receipts.has("s"));
  await controlHeard.wait("the members", () => infos.some((info) => info.members.length === 3));
  const others = portsOf(senderHeard.connected.endpoints);
  check(others.length === 2 && !others.includes(environment.ports[1]), others.join());
  for (let number = 0; number < count && sender.connected; number++) {
    if (number === count / 2) {
      await senderHeard.wait("some receipts", (it) => it.receipts.size > count / 8);
      await subscriberHeard.wait("some messages", (it) => it.messages.length > count / 8);
      await environment.kill();
    }
    if (sender.connected) {
      sender.publish({ destination, body: `m${number}`, headers: { receipt: `m${number}` } });
    }
  }
  for (const each of [senderHeard, subscriberHeard]) await each.wait("the end", (it) => it.isGone);
  const before = senderHeard.receipts.size;
  const last = new Map();
  for (const message of subscriberHeard.messages) {
    const id = message.headers["message-id"];
    last.set(id.slice(0, id.lastIndexOf("-")), id);
  }
  const [again, againHeard] = await connect(environment, others[1]);
  again.subscribe(destination, (message) => againHeard.messages.push(message), { resume: [...last.values()].join() });
  const everything = Array.from({ length: count }, (_, number) => `m${number}`);
  for (const each of everything) {
    if (!senderHeard.receipts.has(each)) again.publish({ destination, body: each, headers: { receipt: each } });
  }
  await againHeard.wait("receipts of all",
    (it) => everything.every((each) => senderHeard.receipts.has(each) || it.receipts.has(each)));
  const bodies = (...all) => new Set(all.flatMap((heard) => heard.messages.map((message) => message.body)));
  await controlHeard.wait("all messages at one who stayed", (it) => everything.every((each) => bodies(it).has(each)));
  await againHeard.wait("all messages at one who went",
    (it) => everything.every((each) => bodies(it, subscriberHeard).has(each)));
  const ids = [...subscriberHeard.messages, ...againHeard.messages].map((message) => message.headers["message-id"]);
  check(ids.length === new Set(ids).size, "a message came twice");
  await controlHeard.wait("the members that are left", () => infos.at(-1).members.length === 2);
  await Promise.all([control.deactivate(), again.deactivate()]);
  return `${before} receipts before the kill, ${count - before} after it, nothing lost`;
}

/**
 * @param environment its name, StompJs, three ports, socket(port), kill(), which ends the second member, and unacked, how many messages
 *     of a subscription may wait for their acknowledgement
 * @param say takes a line for people
 */
export async function story(environment, say) {
  for (const version of ["1.0", "1.1", "1.2"]) {
    await basics(environment, version);
    say(`STOMP ${version}: right`);
  }
  await acknowledgements(environment);
  say("acknowledgements: right");
  await heartBeats(environment);
  say("heart-beats: right");
  say(await failOver(environment));
}
