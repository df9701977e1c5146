// console writes to standard output and standard error.
(host, internal) => {
  'use strict';

  const { format, inspect } = internal;
  const [out, err] = [0, 1];
  let margin = '';
  const counts = new Map();
  const starts = new Map();

  const print = (stream, text) => {
    const lines = margin === '' ? text : margin + text.replaceAll('\n', `\n${margin}`);
    host.write(stream, `${lines}\n`);
  };
  const printer = (stream) => (...args) => print(stream, format(args));
  const log = printer(out);
  const warn = printer(err);

  const elapsed = (ms) => {
    if (ms < 1000) return `${Number(ms.toPrecision(3))}ms`;
    return ms < 60000 ? `${(ms / 1000).toFixed(3)}s` : `${(ms / 60000).toFixed(3)}m`;
  };
  const timer = (label, rest) => {
    const start = starts.get(label);
    if (start === undefined) return warn(`Warning: No such label '${label}' for console.timeEnd()`);
    return log(`${label}: ${elapsed(host.now() - start)}`, ...rest);
  };

  const methods = {
    log,
    info: printer(out),
    debug: printer(out),
    warn,
    error: printer(err),
    trace(...args) {
      const text = format(args);
      print(err, `Trace${text ? `: ${text}` : ''}\n${host.trace(internal.frames(new Error()))}`);
    },
    dir: (value, options) => print(out, inspect(value, options?.depth === null ? Infinity : options?.depth)),
    dirxml: log,
    assert(condition, ...args) {
      if (condition) return;
      if (typeof args[0] === 'string') warn(`Assertion failed: ${args[0]}`, ...args.slice(1));
      else warn('Assertion failed', ...args);
    },
    count(label = 'default') {
      const n = (counts.get(`${label}`) ?? 0) + 1;
      counts.set(`${label}`, n);
      log(`${label}: ${n}`);
    },
    countReset(label = 'default') {
      if (!counts.delete(`${label}`)) warn(`Warning: Count for '${label}' does not exist`);
    },
    group(...args) {
      if (args.length > 0) log(...args);
      margin += '  ';
    },
    groupEnd() { margin = margin.slice(2); },
    time(label = 'default') {
      if (starts.has(`${label}`)) warn(`Warning: Label '${label}' already exists for console.time()`);
      else starts.set(`${label}`, host.now());
    },
    timeLog: (label = 'default', ...rest) => timer(`${label}`, rest),
    timeEnd(label = 'default') {
      timer(`${label}`, []);
      starts.delete(`${label}`);
    },
    table: (data, columns) => (typeof data === 'object' && data !== null ? print(out, internal.table(data, columns)) : log(data)),
    clear() {},
  };
  methods.groupCollapsed = methods.group;
  Object.defineProperty(methods, Symbol.toStringTag, { value: 'console' });
  internal.define('console', methods);
}
