// Keeps a picture of the cluster by the server's events, and shows the page that the address asks for.

import { text, attribute } from "./dom.js";
import { History } from "./charts.js";
import { themes } from "./theme.js";
import { plain } from "./timeline.js";
import { Sites, SitePage, hasSites } from "./sites.js";
import { session, loadSession, invite } from "./session.js";
import { Overview, Members, Groups, GroupPage, MemberPage, TimeLine } from "./pages.js";

const STALE_MILLIS = 4_000;
const STORIES_MAX = 400;

const app = {
  model: null,
  history: new History(),
  storiesById: new Map(),
  /** The newest first. */
  stories() {
    return [...this.storiesById.values()].sort((a, b) => b.at - a.at || b.id - a.id);
  },
};

const main = document.getElementById("main");
/** In the menu once a member takes part in sites. */
const sitesEntry = document.getElementById("nav-sites");
let page = null;
let route = null;
let receivedAt = 0;

// ------------------------------------------------------------------ pages

function pageFor(path) {
  const [, kind, name] = path.match(/^#\/(\w*)\/?(.*)$/) ?? [null, "", ""];
  switch (kind) {
    case "members": return new Members();
    case "groups": return new Groups();
    case "sites": return new Sites(app);
    case "site": return new SitePage(app, decodeURIComponent(name));
    case "timeline": return new TimeLine(app);
    case "group": return new GroupPage(app, decodeURIComponent(name));
    case "member": return new MemberPage(app, decodeURIComponent(name));
    default: return new Overview(app);
  }
}

function open() {
  const path = location.hash || "#/";
  if (path === route) return;
  const isFirst = route === null;
  route = path;
  page?.close?.();
  page = pageFor(path);
  main.replaceChildren(page.element);
  if (app.model) {
    page.show(app.model);
    page.draw?.();
  }
  const section = path.startsWith("#/member") ? "#/members" : path.startsWith("#/group") ? "#/groups" : path.startsWith("#/site") ? "#/sites" : path;
  for (const anchor of document.querySelectorAll("#nav a")) {
    attribute(anchor, "aria-current", anchor.getAttribute("href") === section ? "page" : null);
  }
  if (!isFirst) {
    window.scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

addEventListener("hashchange", open);
open();

// ------------------------------------------------------------------ news

const announcer = document.getElementById("announcer");
let source = null;

function connect() {
  source = new EventSource("/api/stream");
  source.addEventListener("history", (event) => {
    app.history.load(JSON.parse(event.data));
    app.storiesById.clear();
  });
  source.addEventListener("stories", (event) => {
    const isFirst = app.storiesById.size === 0;
    const stories = JSON.parse(event.data);
    for (const story of stories) {
      if (story.over) app.storiesById.delete(story.id);
      else app.storiesById.set(story.id, story);
    }
    for (const story of app.stories().slice(STORIES_MAX)) app.storiesById.delete(story.id);
    const told = stories.filter((story) => !story.over);
    if (!isFirst && told.length) text(announcer, plain(told.at(-1)));
    page.tell?.();
  });
  source.addEventListener("cluster", (event) => {
    app.model = JSON.parse(event.data);
    sitesEntry.hidden = !hasSites(app.model);
    receivedAt = performance.now();
    const isNew = app.history.add(app.model);
    page.show(app.model);
    if (isNew || !page.isDrawn) {
      page.draw?.();
      page.isDrawn = true;
    }
    document.title = (app.model.attention.length ? "(" + app.model.attention.length + ") " : "") + (app.model.cluster || "tutti") + " · tutti console";
    live();
  });
  source.addEventListener("error", async () => {
    live();
    if (source.readyState !== EventSource.CLOSED) return;
    // Refused for good: the log-in is over, or there are too many pages; or the member is gone.
    try {
      const response = await fetch("/api/cluster", { method: "GET" });
      if (response.status === 401) {
        location.assign("/login");
        return;
      }
    } catch {
      // It does not answer; it may come back.
    }
    setTimeout(connect, 1_000);
  });
}

const liveMark = document.getElementById("live");
const liveText = document.getElementById("live-text");

function live() {
  const age = performance.now() - receivedAt;
  const interval = app.model?.intervalMillis ?? 1000;
  const isLost = !app.model || source?.readyState !== EventSource.OPEN || age > STALE_MILLIS + 2 * interval;
  attribute(liveMark, "data-state", isLost ? "lost" : "live");
  text(liveText, !app.model ? "Connecting" : isLost ? "Connection lost" : "Live");
}

setInterval(live, 1_000);
connect();

// ------------------------------------------------------------------ the person who is logged in

document.getElementById("invite").addEventListener("click", invite);

async function showSession() {
  await loadSession();
  text(document.getElementById("whoami"), session.name + ", " + session.role);
  page.permit?.();
}

showSession();

// ------------------------------------------------------------------ colours

themes(document.getElementById("theme"), () => page.restyle?.());
