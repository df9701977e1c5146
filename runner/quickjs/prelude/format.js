// format joins the arguments of console's methods and applies Node's % directives.
(host, internal) => {
  'use strict';

  const { inspect, stringify } = internal;

  const number = (convert) => (value) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'symbol') return 'NaN';
    const n = typeof value === 'object' && value !== null ? NaN : convert(value);
    return Object.is(n, -0) ? '-0' : String(n);
  };

  const text = (value) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (Object.is(value, -0)) return '-0';
    if (typeof value === 'object' && value !== null) return inspect(value, 0);
    return String(value);
  };

  const json = (value) => {
    try {
      return stringify(value);
    } catch (error) {
      if (error instanceof TypeError && /circular/i.test(error.message)) return '[Circular]';
      throw error;
    }
  };

  const directives = {
    s: text,
    d: number(Number),
    i: number((v) => parseInt(v, 10)),
    f: number(parseFloat),
    j: (value) => `${json(value)}`,
    o: (value) => inspect(value, 4),
    O: (value) => inspect(value),
    c: () => '',
  };

  internal.format = (args) => {
    let used = 0;
    let out = '';
    if (args.length > 1 && typeof args[0] === 'string') {
      used = 1;
      out = args[0].replace(/%([sdifjoOc%])/g, (directive, kind) => {
        if (kind === '%') return '%';
        return used < args.length ? directives[kind](args[used++]) : directive;
      });
    }
    for (let i = used; i < args.length; i++) {
      const shown = typeof args[i] === 'string' ? args[i] : inspect(args[i]);
      out = i === 0 ? shown : `${out} ${shown}`;
    }
    return out;
  };
}
