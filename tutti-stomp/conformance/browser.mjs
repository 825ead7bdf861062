// The story in a real browser: serves a page that plays it, opens the page without a window, and waits for its report.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const modules = process.env.STOMP_MODULES;
const pages = {
  "/": ["text/html", `<!doctype html><script src="/stomp.js"></script><script type="module">
    import { story } from "/story.mjs";
    const say = (path, text) => fetch(path, { method: "POST", body: text });
    story({
      name: "browser",
      StompJs,
      ports: ${JSON.stringify(process.env.STOMP_PORTS.split(" ").map(Number))},
      socket: (port) => new WebSocket("ws://127.0.0.1:" + port + "/", ["v12.stomp", "v11.stomp", "v10.stomp"]),
      unacked: ${Number(process.env.STOMP_UNACKED)},
      kill: () => say("/kill", ""),
    }, (line) => say("/say", line)).then(() => say("/done", ""), (error) => say("/failed", String(error.stack)));
    </script>`],
  "/stomp.js": ["text/javascript", readFileSync(join(modules, "node_modules/@stomp/stompjs/bundles/stomp.umd.min.js"))],
  "/story.mjs": ["text/javascript", readFileSync(new URL("./story.mjs", import.meta.url))],
};
const profile = mkdtempSync(join(tmpdir(), "tutti-conformance-"));
let browser;

function end(code) {
  browser?.removeAllListeners("exit");
  browser?.once("exit", () => {
    try {
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    } catch (error) {
      // The page's result counts; a directory that is left over does not.
      console.error(`the browser's profile can't be removed: ${error.message}`);
    }
    process.exit(code);
  });
  // With its whole group: the browser's own children write into the profile until they are gone.
  if (browser && browser.exitCode === null) process.kill(-browser.pid, "SIGKILL");
  setTimeout(() => process.exit(code), 3_000);
}

const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  const page = pages[request.url];
  response.writeHead(page || request.method === "POST" ? 200 : 404, { "content-type": page?.[0] ?? "text/plain" });
  response.end(page?.[1] ?? "");
  if (request.url === "/say") console.log(`  ${body}`);
  if (request.url === "/kill") process.kill(Number(process.env.STOMP_PID), "SIGKILL");
  if (request.url === "/failed") {
    console.error(body);
    end(1);
  }
  if (request.url === "/done") end(0);
});
server.listen(Number(process.env.STOMP_PAGE_PORT), "127.0.0.1", () => {
  browser = spawn(process.env.STOMP_BROWSER, [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--disable-dev-shm-usage", `--user-data-dir=${profile}`, `http://127.0.0.1:${process.env.STOMP_PAGE_PORT}/`,
  ], { stdio: "ignore", detached: true });
  browser.once("exit", (code) => {
    console.error(`the browser has ended with ${code}`);
    process.exit(1);
  });
});
setTimeout(() => {
  console.error("no report of the browser within 120 s");
  end(1);
}, 120_000);
