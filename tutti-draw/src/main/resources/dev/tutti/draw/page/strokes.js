/**
 * What has been drawn, as members know it (Board.java): a set of strokes that only grows, and a floor below which all are
 * forgotten. It is told in lines, which may come twice and in any order as long as the points of each stroke are in theirs.
 */
export const WIDTH = 1600;
export const HEIGHT = 1200;
/** Units of a coordinate in a pixel. */
export const SCALE = 4;
export const STROKE_POINTS_MAX = 4000;

/** Which stroke lies above which: compares ids such as 17.k3f9, by the number and then by the rest. */
export function compare(one, other) {
  const times = parseInt(one, 10) - parseInt(other, 10);
  if (times !== 0) return times;
  const a = one.slice(one.indexOf(".") + 1);
  const b = other.slice(other.indexOf(".") + 1);
  return a < b ? -1 : a > b ? 1 : 0;
}

export class Strokes {
  /** @param onChange called with a stroke and the index of the first point that is new, or with nothing when all may differ */
  constructor(onChange) {
    this.onChange = onChange;
    this.byId = new Map();
    /** By id; what is undone is among them, without points. */
    this.sorted = [];
    this.floor = "0.";
    /** Of the newest stroke that was seen. */
    this.time = 0;
  }

  apply(lines) {
    for (const line of lines.split("\n")) {
      const words = line.split(" ");
      if (words[0] === "p") this.draw(words[1], Number(words[2]), words[3], Number(words[4]), words.slice(5).map(Number));
      else if (words[0] === "u") this.undo(words[1]);
      else if (words[0] === "f") this.forget(words[1]);
    }
  }

  draw(id, first, colour, width, points) {
    if (!this.see(id)) return;
    const stroke = this.byId.get(id) ?? this.add({ id, colour, width, points: [], isUndone: false });
    const known = stroke.points.length / 2;
    if (stroke.isUndone || first > known) return;
    for (let index = 2 * (known - first); index < points.length; index++) stroke.points.push(points[index]);
    if (stroke.points.length > 2 * known) this.onChange(stroke, known);
  }

  undo(id) {
    if (!this.see(id)) return;
    const stroke = this.byId.get(id) ?? this.add({ id, colour: "000000", width: 1, points: [], isUndone: false });
    if (!stroke.isUndone) {
      this.onChange(stroke, 0);
      stroke.isUndone = true;
      stroke.points = [];
      stroke.path = undefined;
    }
  }

  forget(id) {
    this.time = Math.max(this.time, parseInt(id, 10));
    if (compare(id, this.floor) <= 0) return;
    this.floor = id;
    this.sorted = this.sorted.filter((stroke) => compare(stroke.id, id) > 0 || !this.byId.delete(stroke.id));
    this.onChange();
  }

  /** False if it is forgotten. */
  see(id) {
    this.time = Math.max(this.time, parseInt(id, 10));
    return compare(id, this.floor) > 0;
  }

  add(stroke) {
    let index = this.sorted.length;
    while (index > 0 && compare(this.sorted[index - 1].id, stroke.id) > 0) index--;
    this.sorted.splice(index, 0, stroke);
    this.byId.set(stroke.id, stroke);
    return stroke;
  }

  /** Of the newest stroke; what is forgotten up to it is all of the board. */
  last() {
    return this.sorted.length ? this.sorted[this.sorted.length - 1].id : this.floor;
  }

  /** As members write it: equal boards have equal lines. */
  lines() {
    const lines = this.floor === "0." ? [] : ["f " + this.floor];
    for (const stroke of this.sorted) {
      const { id, colour, width, points } = stroke;
      if (stroke.isUndone) lines.push("u " + id);
      else for (let first = 0; first < Math.max(2, points.length); first += 2000)
        lines.push(["p", id, first / 2, colour, width, ...points.slice(first, first + 2000)].join(" "));
    }
    return lines.map((line) => line + "\n").join("");
  }
}
