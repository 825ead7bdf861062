// The story in Node: over WebSocket, or over TCP with the argument "tcp".
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { story } from "./story.mjs";

const require = createRequire(pathToFileURL(process.env.STOMP_MODULES + "/"));
const StompJs = require("@stomp/stompjs");
const { TCPWrapper } = require("@stomp/tcp-wrapper");
const WebSocket = require("ws");
const isTcp = process.argv[2] === "tcp";

await story({
  name: isTcp ? "tcp" : "ws",
  StompJs,
  ports: process.env.STOMP_PORTS.split(" ").map(Number),
  socket: (port) => isTcp
    ? new TCPWrapper("127.0.0.1", port)
    : new WebSocket(`ws://127.0.0.1:${port}/`, ["v12.stomp", "v11.stomp", "v10.stomp"]),
  unacked: Number(process.env.STOMP_UNACKED),
  kill: async () => process.kill(Number(process.env.STOMP_PID), "SIGKILL"),
}, (line) => console.log(`  ${line}`));
process.exit(0);
