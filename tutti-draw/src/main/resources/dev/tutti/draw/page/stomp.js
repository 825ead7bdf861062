/**
 * A client of STOMP 1.2 over WebSocket: as much of it as the board needs. Bodies are text without NUL.
 *
 * It is for one connection; whoever wants to go on elsewhere makes another one.
 */
export class Stomp {
  /**
   * @param url of the WebSocket
   * @param passcode for CONNECT
   * @param on what is told: connected(headers), message(headers, body), receipt(id), closed(reason), once and last
   */
  constructor(url, passcode, on) {
    this.on = on;
    this.isOpen = false;
    this.isClosed = false;
    this.socket = new WebSocket(url, ["v12.stomp"]);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () =>
      this.frame("CONNECT", { "accept-version": "1.2", host: "draw", passcode, "heart-beat": "0," + HEART_BEAT_MILLIS });
    this.socket.onmessage = (event) => this.onData(event.data);
    this.socket.onclose = () => this.close("the connection has ended");
    this.expect(CONNECT_MILLIS, "no answer");
  }

  frame(command, headers, body = "") {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    // What connects is not escaped.
    const text = command === "CONNECT" ? String : escaped;
    const lines = Object.entries(headers).map(([name, value]) => name + ":" + text(String(value)));
    this.socket.send(command + "\n" + lines.join("\n") + "\n\n" + body + "\0");
  }

  subscribe(destination, receipt) {
    this.frame("SUBSCRIBE", { id: destination, destination, ...(receipt && { receipt }) });
  }

  send(destination, body, receipt) {
    this.frame("SEND", { destination, ...(receipt && { receipt }) }, body);
  }

  /** Closes; late or repeated calls do nothing. */
  close(reason) {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.timer);
    this.socket.close();
    this.on.closed(reason);
  }

  expect(millis, reason) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.close(reason), millis);
  }

  onData(data) {
    if (this.isClosed) return;
    const text = typeof data === "string" ? data : new TextDecoder().decode(data);
    if (this.isOpen) this.expect(SILENCE_MILLIS, "it is silent");
    for (const part of text.split("\0")) {
      const frame = part.replace(/^[\r\n]+/, "");
      if (frame) this.onFrame(frame);
    }
  }

  onFrame(frame) {
    const end = frame.indexOf("\n\n");
    const [command, ...lines] = frame.slice(0, end).split("\n");
    const headers = {};
    for (const line of lines) {
      const colon = line.indexOf(":");
      const value = line.slice(colon + 1);
      headers[line.slice(0, colon)] ??= command === "CONNECTED" ? value : unescaped(value);
    }
    const body = frame.slice(end + 2);
    if (command === "CONNECTED") {
      this.isOpen = true;
      this.expect(SILENCE_MILLIS, "it is silent");
      this.on.connected(headers);
    } else if (command === "MESSAGE") {
      this.on.message(headers, body);
    } else if (command === "RECEIPT") {
      this.on.receipt(headers["receipt-id"]);
    } else if (command === "ERROR") {
      this.close(headers.message ?? "refused");
    }
  }
}

const HEART_BEAT_MILLIS = 5_000;
const SILENCE_MILLIS = 12_000;
const CONNECT_MILLIS = 4_000;

const ESCAPES = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", ":": "\\c" };
const ORIGINALS = { "\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\c": ":" };

function escaped(text) {
  return text.replace(/[\\\n\r:]/g, (each) => ESCAPES[each]);
}

function unescaped(text) {
  return text.replace(/\\[\\nrc]/g, (each) => ORIGINALS[each]);
}
