// console.table draws rows and columns.
(host, internal) => {
  'use strict';

  const { inspect } = internal;
  const isObject = (value) => typeof value === 'object' && value !== null;

  // rows pairs each row's name with the row.
  const rows = (data) => {
    if (data instanceof Map) return Array.from(data, ([k, v], i) => [`${i}`, { Key: k, Values: v }]);
    if (data instanceof Set) return Array.from(data, (v, i) => [`${i}`, v]);
    return Object.keys(data).map((k) => [k, data[k]]);
  };

  const line = (left, middle, right, widths) => left + widths.map((w) => '─'.repeat(w + 2)).join(middle) + right;

  internal.table = (data, wanted) => {
    const all = rows(data);
    const columns = new Set(wanted);
    if (!wanted) all.forEach(([, row]) => isObject(row) && Object.keys(row).forEach((k) => columns.add(k)));
    const plain = all.some(([, row]) => !isObject(row));
    const head = [data instanceof Map || data instanceof Set ? '(iteration index)' : '(index)', ...columns, ...(plain ? ['Values'] : [])];
    const body = all.map(([name, row]) => [
      name,
      ...Array.from(columns, (c) => (isObject(row) && Object.hasOwn(row, c) ? inspect(row[c], 0) : '')),
      ...(plain ? [isObject(row) ? '' : inspect(row)] : []),
    ]);
    const widths = head.map((h, i) => body.reduce((most, row) => Math.max(most, row[i].length), h.length));
    const cells = (row) => `│ ${row.map((c, i) => c.padEnd(widths[i])).join(' │ ')} │`;
    return [
      line('┌', '┬', '┐', widths), cells(head), line('├', '┼', '┤', widths), ...body.map(cells), line('└', '┴', '┘', widths),
    ].join('\n');
  };
}
