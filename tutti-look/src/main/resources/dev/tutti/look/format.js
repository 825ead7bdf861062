// Numbers and times as people read them.

export function count(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e9) return (value / 1e9).toFixed(size >= 1e10 ? 0 : 1) + " G";
  if (size >= 1e6) return (value / 1e6).toFixed(size >= 1e7 ? 0 : 1) + " M";
  if (size >= 1e4) return (value / 1e3).toFixed(size >= 1e5 ? 0 : 1) + " k";
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString("en");
  return size < 0.05 ? "0" : value.toFixed(1);
}

export function bytes(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let size = value;
  while (Math.abs(size) >= 1000 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  const digits = unit === 0 || size >= 100 ? 0 : 1;
  return (unit === 0 ? Math.round(size) : size.toFixed(digits)) + " " + units[unit];
}

export function percent(share) {
  return share === undefined || share === null ? "–" : Math.round(share * 100) + " %";
}

export function perSecond(value, format = count) {
  if (value === undefined || value === null || Number.isNaN(value)) return "–";
  return format(value) + "/s";
}

export function micros(value) {
  if (value === undefined || value === null || value < 0) return "–";
  if (value < 1000) return Math.round(value) + " µs";
  if (value < 100_000) return (value / 1000).toFixed(value < 10_000 ? 2 : 1) + " ms";
  return Math.round(value / 1000) + " ms";
}

export function duration(millis) {
  const seconds = Math.max(0, Math.round(millis / 1000));
  if (seconds < 60) return seconds + " s";
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes + " min " + (seconds % 60) + " s";
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return hours + " h " + (minutes % 60) + " min";
  return Math.floor(hours / 24) + " d " + (hours % 24) + " h";
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export function time(millis) {
  const date = new Date(millis);
  const today = new Date().toDateString() === date.toDateString();
  return (today ? "" : day.format(date) + ", ") + clock.format(date);
}

export function plural(number, one, many) {
  return number + " " + (number === 1 ? one : many ?? one + "s");
}

export function list(names, max = 6) {
  const shown = names.length > max ? [...names.slice(0, max - 1), names.length - max + 1 + " more"] : names;
  return shown.length < 2 ? shown.join("") : shown.slice(0, -1).join(", ") + " and " + shown.at(-1);
}

/** A counter's value, by the unit that its name ends with. */
export function value(name, number) {
  if (typeof number !== "number") return number === true ? "yes" : number === false ? "no" : String(number ?? "–");
  if (name.endsWith("bytes")) return bytes(number);
  if (name.endsWith("nanos")) return number === 0 ? "0" : micros(number / 1000);
  if (name.endsWith("micros")) return micros(number);
  if (name.endsWith("millis")) return number < 10_000 ? number + " ms" : duration(number);
  return number.toLocaleString("en");
}
