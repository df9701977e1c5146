// Texts and figures for people.

// invisible are characters that change how a text looks without being seen: controls,
// directions, zero widths, fillers, selectors and tags.
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{DI}\p{VS}\u2800\u{16FE4}\u{1D159}]/gu;
const longest = 4000;

// shown is a text of a server or a script as it is shown: on one line, with invisible
// characters as their numbers.
export function shown(value) {
  return lines(value).replace(/[\n\t]/g, " ");
}

// lines is shown, but keeps the ends of lines, and has another bound if there is one.
export function lines(value, most = longest) {
  const text = String(value ?? "").toWellFormed?.() ?? String(value ?? "");
  const cut = text.length > most ? text.slice(0, most) + " …" : text;
  return cut.replace(invisible, (c) => (c === "\n" || c === "\t" ? c : `⟨${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`));
}

// duration is a time in milliseconds, with two units at most.
export function duration(ms) {
  if (!Number.isFinite(ms)) return "–";
  if (ms < 0) ms = 0;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const first = units.findIndex(([, size]) => s >= size);
  const [[name, size], next] = [units[first], units[first + 1]];
  const rest = Math.floor((s % size) / next[1]);
  return `${Math.floor(s / size)} ${name}${rest > 0 ? ` ${rest} ${next[0]}` : ""}`;
}

export function bytes(n) {
  if (!Number.isFinite(n)) return "–";
  if (n < 1000) return `${n} B`;
  return n < 1_000_000 ? `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)} kB` : `${(n / 1_000_000).toFixed(1)} MB`;
}

export const number = (n) => (Number.isFinite(n) ? n.toLocaleString("en") : "–");

// clock is the time of the day.
export function clock(time) {
  const d = new Date(time);
  return Number.isNaN(d.getTime()) ? "–" : d.toLocaleTimeString("en-GB");
}

// ago is the time since a moment in milliseconds; it is negative for the future.
export const ago = (time) => Date.now() - new Date(time).getTime();

export const count = (n, one, many = one + "s") => `${number(n)} ${n === 1 ? one : many}`;
