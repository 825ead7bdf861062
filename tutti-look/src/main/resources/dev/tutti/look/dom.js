// Elements without markup in strings: what members say can never become part of the page's structure.

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

/** Sets a text only if it differs, so that selections and readers are left in peace. */
export function text(element, value) {
  const string = String(value);
  if (element.textContent !== string) element.textContent = string;
  return element;
}

export function attribute(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) {
    element.setAttribute(name, String(value));
  }
}

/** Makes the children of an element those of items, keeping elements whose key is still there. */
export function keyed(parent, items, key, make, update) {
  const known = parent.knownByKey ??= new Map();
  const kept = new Set();
  let position = parent.firstElementChild;
  for (const item of items) {
    const name = key(item);
    if (kept.has(name)) continue;
    let child = known.get(name);
    if (!child) {
      child = make(item);
      known.set(name, child);
    }
    kept.add(name);
    update?.(child, item);
    if (child !== position) parent.insertBefore(child, position);
    else position = position.nextElementSibling;
  }
  for (const [name, child] of known) {
    if (!kept.has(name)) {
      child.remove();
      known.delete(name);
    }
  }
}

/**
 * A table that folds into cards on a phone. A column: head, isNumber, and cell(row), which gives a text or an element; those
 * that give elements are made anew only when their `stamp` changes. One with `isWide` is text that wraps.
 */
export function table(caption, columns, options = {}) {
  const body = h("tbody", { role: "rowgroup" });
  const element = h("table", { class: options.folds === false ? null : "folds", role: "table" },
    h("caption", { class: "unseen" }, caption),
    h("thead", { role: "rowgroup" },
      h("tr", { role: "row" }, columns.map((column) => h("th", { scope: "col", role: "columnheader", class: column.isNumber ? "n" : null }, column.head)))),
    body);
  const make = () => h("tr", { role: "row" }, columns.map((column, index) => index === 0
    ? h("th", { scope: "row", role: "rowheader" })
    : h("td", { role: "cell", class: column.isNumber ? "n" : column.isWide ? "wide" : null, "data-label": column.head })));
  const update = (row, item) => columns.forEach((column, index) => {
    const cell = row.children[index];
    if (column.stamp) {
      const stamp = column.stamp(item);
      if (cell.stamp !== stamp) {
        cell.stamp = stamp;
        cell.replaceChildren(column.cell(item));
      }
    } else {
      text(cell, column.cell(item));
    }
  });
  return {
    element: h("div", { class: "table", role: "region", "aria-label": caption, tabindex: "0" }, element),
    show: (rows, key) => keyed(body, rows, key, make, update),
  };
}

const ICONS = {
  ok: [["path", { d: "M3.5 8.5 6.5 11.5 12.5 4.5" }]],
  joined: [["path", { d: "M8 3.5v9M3.5 8h9" }]],
  left: [["path", { d: "M3.5 8h8.5M9 4.5 12.5 8 9 11.5" }]],
  lost: [["path", { d: "M4.5 4.5l7 7M11.5 4.5l-7 7" }]],
  silent: [["path", { d: "M4 8h.01M8 8h.01M12 8h.01", "stroke-width": "2.6" }]],
  merged: [["path", { d: "M3.5 4c3.5 0 4 4 9 4M3.5 12c3.5 0 4-4 9-4" }]],
  split: [["path", { d: "M3.5 8c5 0 5.5-4 9-4M3.5 8c5 0 5.5 4 9 4" }]],
  state: [["path", { d: "M8 3v7M5 7.5l3 3 3-3M3.5 13h9" }]],
  started: [["path", { d: "M6 4.5v7l5.5-3.5z" }]],
  warn: [["path", { d: "M8 4v5M8 11.8v.01", "stroke-width": "2" }]],
  view: [["circle", { cx: "8", cy: "8", r: "3.5" }]],
};

/** A small picture that says nothing to readers: words beside it do. */
export function icon(name, size = 14) {
  const picture = s("svg", {
    width: size, height: size, viewBox: "0 0 16 16", "aria-hidden": "true",
    fill: "none", stroke: "currentColor", "stroke-width": "1.8", "stroke-linecap": "round", "stroke-linejoin": "round",
  });
  for (const [tag, attributes] of ICONS[name] ?? ICONS.view) picture.append(s(tag, attributes));
  return picture;
}
