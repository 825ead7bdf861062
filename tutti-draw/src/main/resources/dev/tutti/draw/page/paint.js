/**
 * Paints strokes by arithmetic of its own, so that the same strokes are the same pixels in every browser, on every
 * graphics card: with additions, multiplications, divisions and square roots alone, which IEEE 754 defines to the last bit.
 *
 * The colour of a pixel is a function of the strokes and its place, and of nothing that was painted before. So tiles are
 * painted anew when something on them changes, in any order, and late strokes that lie below others cost no more.
 */
import { WIDTH, HEIGHT, SCALE } from "./strokes.js";

const TILE = 100;
const COLUMNS = WIDTH / TILE;
const ROWS = HEIGHT / TILE;
export const PAPER = "fffdf8";
/** Segments that are looked at together. */
const RUN = 32;
/** How long a frame may take, as far as it can be divided. */
const FRAME_MILLIS = 10;

export class Painting {
  /** @param strokes what is to be painted, now and whenever it is called dirty */
  constructor(canvas, strokes) {
    canvas.width = WIDTH;
    canvas.height = HEIGHT;
    this.context = canvas.getContext("2d", { alpha: false });
    this.strokes = strokes;
    this.dirty = new Set();
    this.tile = this.context.createImageData(TILE, TILE);
    this.cover = new Uint8Array(TILE * TILE);
    this.touchAll();
  }

  touchAll() {
    for (let index = 0; index < COLUMNS * ROWS; index++) this.dirty.add(index);
    this.request();
  }

  /** The stroke differs from its point `first` on. */
  touch(stroke, first) {
    const points = stroke.points;
    // A curve reaches two points back.
    const from = Math.max(0, first - 2);
    const reach = stroke.width / 2 + 1;
    for (let index = from; index < points.length / 2; index++) {
      const next = Math.min(index + 1, points.length / 2 - 1);
      this.touchBox(
        Math.min(points[2 * index], points[2 * next]) / SCALE - reach,
        Math.min(points[2 * index + 1], points[2 * next + 1]) / SCALE - reach,
        Math.max(points[2 * index], points[2 * next]) / SCALE + reach,
        Math.max(points[2 * index + 1], points[2 * next + 1]) / SCALE + reach);
    }
    stroke.path = undefined;
    this.request();
  }

  touchBox(left, top, right, bottom) {
    const lastColumn = Math.min(COLUMNS - 1, Math.floor(right / TILE));
    const lastRow = Math.min(ROWS - 1, Math.floor(bottom / TILE));
    for (let row = Math.max(0, Math.floor(top / TILE)); row <= lastRow; row++)
      for (let column = Math.max(0, Math.floor(left / TILE)); column <= lastColumn; column++)
        this.dirty.add(row * COLUMNS + column);
  }

  request() {
    if (this.isRequested) return;
    this.isRequested = true;
    requestAnimationFrame(() => this.paint());
  }

  paint() {
    this.isRequested = false;
    const start = performance.now();
    for (const index of this.dirty) {
      if (performance.now() - start > FRAME_MILLIS) break;
      this.dirty.delete(index);
      this.paintTile((index % COLUMNS) * TILE, Math.floor(index / COLUMNS) * TILE);
    }
    if (this.dirty.size) this.request();
  }

  paintTile(left, top) {
    const data = this.tile.data;
    const paper = rgb(PAPER);
    for (let at = 0; at < data.length; at += 4) {
      data[at] = paper[0];
      data[at + 1] = paper[1];
      data[at + 2] = paper[2];
      data[at + 3] = 255;
    }
    for (const stroke of this.strokes.sorted) {
      if (!stroke.points.length) continue;
      const path = (stroke.path ??= flatten(stroke));
      const reach = stroke.width / 2 + 1;
      if (isNear(path.box, 0, reach, left, top)) {
        const part = this.coverTile(path, stroke.width / 2, left, top);
        if (part) blend(data, this.cover, rgb(stroke.colour), part);
      }
    }
    this.context.putImageData(this.tile, left, top);
  }

  /** How much of each pixel the path covers, of 255; which part of the tile may be covered, or nothing if none is. */
  coverTile(path, radius, left, top) {
    const { points, boxes } = path;
    const part = { x0: TILE, x1: -1, y0: TILE, y1: -1 };
    const count = Math.max(1, points.length / 2 - 1);
    for (let first = 0, box = 0; first < count; first += RUN, box += 4) {
      if (!isNear(boxes, box, radius + 1, left, top)) continue;
      const end = Math.min(count, first + RUN);
      for (let index = first; index < end; index++) {
        const ax = points[2 * index] - left;
        const ay = points[2 * index + 1] - top;
        const isPoint = points.length === 2;
        const bx = isPoint ? ax : points[2 * index + 2] - left;
        const by = isPoint ? ay : points[2 * index + 3] - top;
        const x0 = Math.max(0, Math.floor(Math.min(ax, bx) - radius - 1));
        const x1 = Math.min(TILE - 1, Math.ceil(Math.max(ax, bx) + radius + 1));
        const y0 = Math.max(0, Math.floor(Math.min(ay, by) - radius - 1));
        const y1 = Math.min(TILE - 1, Math.ceil(Math.max(ay, by) + radius + 1));
        if (x0 > x1 || y0 > y1) continue;
        part.x0 = Math.min(part.x0, x0);
        part.x1 = Math.max(part.x1, x1);
        part.y0 = Math.min(part.y0, y0);
        part.y1 = Math.max(part.y1, y1);
        coverSegment(this.cover, ax, ay, bx - ax, by - ay, radius, x0, x1, y0, y1);
      }
    }
    return part.x1 < 0 ? null : part;
  }
}

/** Whether a box, four numbers of a list, comes within reach of a tile. */
function isNear(boxes, at, reach, left, top) {
  return boxes[at + 2] + reach >= left && boxes[at] - reach <= left + TILE
    && boxes[at + 3] + reach >= top && boxes[at + 1] - reach <= top + TILE;
}

/** The distance of each pixel's centre from a segment, as cover: half at the radius, and linear within half a pixel of it. */
function coverSegment(cover, ax, ay, dx, dy, radius, x0, x1, y0, y1) {
  const square = dx * dx + dy * dy;
  for (let y = y0; y <= y1; y++) {
    for (let x = x0; x <= x1; x++) {
      const px = x + 0.5 - ax;
      const py = y + 0.5 - ay;
      let along = square === 0 ? 0 : (px * dx + py * dy) / square;
      along = along < 0 ? 0 : along > 1 ? 1 : along;
      const ex = px - along * dx;
      const ey = py - along * dy;
      const share = radius + 0.5 - Math.sqrt(ex * ex + ey * ey);
      if (share > 0) {
        const amount = share >= 1 ? 255 : Math.floor(share * 255 + 0.5);
        const at = y * TILE + x;
        if (amount > cover[at]) cover[at] = amount;
      }
    }
  }
}

/** Lays a colour over a part of a tile, as far as it is covered, and uncovers it. */
function blend(data, cover, colour, part) {
  for (let y = part.y0; y <= part.y1; y++) {
    for (let index = y * TILE + part.x0; index <= y * TILE + part.x1; index++) {
      const amount = cover[index];
      if (amount === 0) continue;
      cover[index] = 0;
      const rest = 255 - amount;
      const at = 4 * index;
      data[at] = Math.floor((data[at] * rest + colour[0] * amount + 127) / 255);
      data[at + 1] = Math.floor((data[at + 1] * rest + colour[1] * amount + 127) / 255);
      data[at + 2] = Math.floor((data[at + 2] * rest + colour[2] * amount + 127) / 255);
    }
  }
}

/** A path of short segments: from middle to middle of the points' connections, bent towards the points. */
function flatten(stroke) {
  const given = stroke.points;
  const count = given.length / 2;
  const path = [];
  const add = (x, y) => path.push(x, y);
  const x = (index) => given[2 * index] / SCALE;
  const y = (index) => given[2 * index + 1] / SCALE;
  add(x(0), y(0));
  for (let index = 1; index < count - 1; index++) {
    const fromX = index === 1 ? x(0) : (x(index - 1) + x(index)) / 2;
    const fromY = index === 1 ? y(0) : (y(index - 1) + y(index)) / 2;
    const toX = (x(index) + x(index + 1)) / 2;
    const toY = (y(index) + y(index + 1)) / 2;
    const length = Math.abs(toX - fromX) + Math.abs(toY - fromY);
    const steps = length < 4 ? 1 : length < 12 ? 3 : length < 60 ? 6 : 12;
    for (let step = 1; step <= steps; step++) {
      const t = step / steps;
      const s = 1 - t;
      add(s * s * fromX + 2 * s * t * x(index) + t * t * toX, s * s * fromY + 2 * s * t * y(index) + t * t * toY);
    }
  }
  if (count > 1) add(x(count - 1), y(count - 1));
  const points = Float64Array.from(path);
  const segments = Math.max(1, points.length / 2 - 1);
  const boxes = [];
  for (let first = 0; first < segments; first += RUN) boxes.push(...boxOf(points, first, Math.min(segments, first + RUN)));
  return { points, boxes, box: boxOf(points, 0, segments) };
}

/** Left, top, right and bottom of a run of segments. */
function boxOf(points, first, end) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let index = 2 * first; index < Math.min(points.length, 2 * end + 2); index += 2) {
    left = Math.min(left, points[index]);
    right = Math.max(right, points[index]);
    top = Math.min(top, points[index + 1]);
    bottom = Math.max(bottom, points[index + 1]);
  }
  return [left, top, right, bottom];
}

const colours = new Map();

function rgb(text) {
  let colour = colours.get(text);
  if (!colour) {
    if (colours.size > 256) colours.clear();
    colour = [0, 2, 4].map((at) => parseInt(text.slice(at, at + 2), 16));
    colours.set(text, colour);
  }
  return colour;
}
