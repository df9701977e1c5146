// Digests of dates in local time: of a zone in 2020 to 2030, and of the hours around each of
// its changes. zones.mjs and TestDatesAsInNode run the same text.
(() => {
  const say = (date) => (Number.isNaN(date.getTime()) ? 'none' : `${date.getTime()} ${date.getHours()}:${date.getMinutes()} ${date.getDate()} ${date.getTimezoneOffset()};`);
  const digest = (texts) => {
    let hash = 2166136261;
    for (const text of texts) for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619) >>> 0;
    return hash.toString(16);
  };
  const pad = (n) => `${n}`.padStart(2, '0');
  const at = (local) => {
    const [y, m, d, h, min] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate(), local.getUTCHours(), local.getUTCMinutes()];
    const day = new Date(y, m, d);
    const set = new Date(y, m, d - 3, 12);
    set.setDate(d);
    set.setHours(h, min);
    const month = new Date(y, 0, 1, h, min);
    month.setMonth(m, d);
    const text = `${y}-${pad(m + 1)}-${pad(d)}`;
    return [new Date(y, m, d, h, min), day, set, month, new Date(`${text}T${pad(h)}:${pad(min)}`), new Date(`${text.replaceAll('-', '/')} ${h}:${pad(min)}`)].map(say).join('');
  };
  const zone = () => {
    const out = [];
    for (let month = 0; month < 132; month++) for (const hour of month % 3 === 0 ? [0, 2.5] : []) out.push(at(new Date(Date.UTC(2020, month, 1) + hour * 3600000)));
    return digest(out);
  };
  const changes = () => {
    const found = {};
    let before = new Date(Date.UTC(2020, 0, 1)).getTimezoneOffset();
    for (let hour = Date.UTC(2020, 0, 1); hour < Date.UTC(2031, 0, 1); hour += 3600000) {
      const after = new Date(hour).getTimezoneOffset();
      if (before === after) continue;
      const out = [];
      for (let half = -52; half <= 52; half++) out.push(at(new Date(hour - before * 60000 + half * 1800000)));
      found[new Date(hour).toISOString()] = digest(out);
      before = after;
    }
    return found;
  };
  return { zone, changes };
})()
