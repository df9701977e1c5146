// Long lists are shown in columns, as in Node.
(host, internal) => {
  'use strict';

  const gap = 2; // a comma and a blank
  const mostColumns = 12;
  const shape = 2.5; // a character is about as much higher than wide

  // count chooses the number of columns that makes the block about as wide as high.
  const count = (lengths, widest, total, room) => {
    const bias = Math.sqrt(widest - total / lengths.length);
    const width = Math.max(widest - 3 - bias, 1);
    return Math.min(
      Math.round(Math.sqrt(shape * width * lengths.length) / width), Math.floor(room / widest), mostColumns);
  };

  // columns arranges the entries in rows. It returns them unchanged if they are too
  // long or too different in length.
  internal.columns = (entries, list, indent, lineLength) => {
    const cells = list.length > internal.mostItems ? entries.slice(0, internal.mostItems) : entries;
    const rest = entries.slice(cells.length);
    const lengths = cells.map((c) => c.length);
    const total = lengths.reduce((sum, n) => sum + n + gap, 0);
    const longest = Math.max(...lengths);
    const widest = longest + gap;
    if (widest * 3 + indent >= lineLength || !(total / widest > 5 || longest <= 6)) return entries;
    const columns = count(lengths, widest, total, lineLength - indent);
    if (columns <= 1) return entries;

    const widths = [];
    for (let c = 0; c < columns; c++) {
      widths.push(gap + Math.max(...lengths.filter((_, i) => i % columns === c)));
    }
    const numeric = list.every?.((v) => typeof v === 'number' || typeof v === 'bigint');
    const rows = [];
    for (let at = 0; at < cells.length; at += columns) {
      const row = cells.slice(at, at + columns);
      const last = row.length - 1;
      rows.push(row.map((cell, c) => {
        if (numeric) return `${cell}${c < last ? ', ' : ''}`.padStart(c < last ? widths[c] : widths[c] - gap);
        return c < last ? `${cell}, `.padEnd(widths[c]) : cell;
      }).join(''));
    }
    return rows.concat(rest);
  };
}
