// The host part of a URL: names, IPv4 and IPv6 addresses.
(host, internal) => {
  'use strict';

  const { percentEncode, percentDecode, percentSets } = internal;
  const forbidden = /[\x00\x09\x0a\x0d #/:<>?@[\\\]^|]/;
  const forbiddenInName = /[\x00-\x20#%/:<>?@[\\\]^|\x7f]/;

  // number parses a part of an IPv4 address: decimal, octal or hexadecimal.
  const number = (text) => {
    if (text === '') return NaN;
    if (/^0x[0-9a-f]*$/i.test(text)) return text.length === 2 ? 0 : parseInt(text, 16);
    if (/^0[0-7]*$/.test(text)) return parseInt(text, 8);
    return /^[1-9]\d*$/.test(text) ? Number(text) : NaN;
  };

  const endsInNumber = (name) => {
    const parts = name.split('.');
    if (parts.at(-1) === '' && parts.length > 1) parts.pop();
    return /^\d+$/.test(parts.at(-1)) || !Number.isNaN(number(parts.at(-1)));
  };

  // ipv4 returns the dotted form of an address, or undefined.
  const ipv4 = (name) => {
    const parts = name.split('.');
    if (parts.at(-1) === '' && parts.length > 1) parts.pop();
    if (parts.length > 4) return undefined;
    const numbers = parts.map(number);
    const last = numbers.pop();
    if (numbers.some((n) => !(n <= 255)) || !(last < 256 ** (4 - numbers.length))) return undefined;
    const value = numbers.reduce((sum, n, i) => sum + n * 256 ** (3 - i), last);
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
  };

  // pieces returns the 16-bit numbers of one side of an IPv6 address.
  const pieces = (text) => {
    if (text === '') return [];
    const out = [];
    const parts = text.split(':');
    for (const [i, part] of parts.entries()) {
      if (/^[0-9a-f]{1,4}$/i.test(part)) {
        out.push(parseInt(part, 16));
        continue;
      }
      const dotted = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(part);
      if (!dotted || i < parts.length - 1) return undefined;
      const bytes = dotted.slice(1);
      if (bytes.some((b) => Number(b) > 255 || (b.length > 1 && b.startsWith('0')))) return undefined;
      out.push(Number(bytes[0]) * 256 + Number(bytes[1]), Number(bytes[2]) * 256 + Number(bytes[3]));
    }
    return out;
  };

  const ipv6 = (text) => {
    const sides = text.split('::');
    if (sides.length > 2) return undefined;
    const [left, right] = [pieces(sides[0]), sides.length === 2 ? pieces(sides[1]) : []];
    if (!left || !right) return undefined;
    if (sides.length === 2 && /\./.test(sides[0])) return undefined;
    const missing = 8 - left.length - right.length;
    if (sides.length === 2 ? missing < 1 : missing !== 0) return undefined;
    return compress([...left, ...new Array(missing).fill(0), ...right]);
  };

  // compress writes an address with its first longest run of zeros as ::.
  const compress = (numbers) => {
    let best = { start: -1, length: 1 };
    for (let start = 0; start < 8; start++) {
      let length = 0;
      while (numbers[start + length] === 0) length++;
      if (length > best.length) best = { start, length };
    }
    const text = (part) => part.map((n) => n.toString(16)).join(':');
    if (best.start < 0) return text(numbers);
    return `${text(numbers.slice(0, best.start))}::${text(numbers.slice(best.start + best.length))}`;
  };

  // adapt computes the bias of Punycode (RFC 3492, section 6.1).
  const adapt = (delta, count, first) => {
    let rest = Math.floor(delta / (first ? 700 : 2));
    rest += Math.floor(rest / count);
    let k = 0;
    for (; rest > 455; k += 36) rest = Math.floor(rest / 35);
    return k + Math.floor((36 * rest) / (rest + 38));
  };
  const digit = (n) => String.fromCharCode(n < 26 ? n + 97 : n + 22);

  const punycode = (label) => {
    const points = Array.from(label, (c) => c.codePointAt(0));
    let out = points.filter((p) => p < 128).map((p) => String.fromCharCode(p)).join('');
    const basic = out.length;
    let handled = basic;
    if (basic > 0) out += '-';
    for (let next = 128, delta = 0, bias = 72; handled < points.length; next++, delta++) {
      const point = Math.min(...points.filter((p) => p >= next));
      delta += (point - next) * (handled + 1);
      next = point;
      for (const p of points) {
        if (p < next) delta++;
        if (p !== next) continue;
        let q = delta;
        for (let k = 36; ; k += 36) {
          const t = Math.min(Math.max(k - bias, 1), 26);
          if (q < t) break;
          out += digit(t + ((q - t) % (36 - t)));
          q = Math.floor((q - t) / (36 - t));
        }
        out += digit(q);
        bias = adapt(delta, handled + 1, handled === basic);
        delta = 0;
        handled++;
      }
    }
    return `xn--${out}`;
  };

  // asciiName maps a name as UTS #46 does, except for rare characters.
  const asciiName = (name) => name.replace(/\u00ad|\u200b/g, '').normalize('NFKC').toLowerCase().normalize('NFKC')
    .split(/[.\u3002]/).map((label) => (/^[\x00-\x7f]*$/.test(label) ? label : punycode(label))).join('.');

  // parseHost returns the normal form of a host, or undefined if it is invalid.
  internal.parseHost = (text, special) => {
    if (text.startsWith('[')) {
      const address = text.endsWith(']') ? ipv6(text.slice(1, -1)) : undefined;
      return address === undefined ? undefined : `[${address}]`;
    }
    if (!special) return forbidden.test(text) ? undefined : percentEncode(text, percentSets.control);
    const name = asciiName(percentDecode(text));
    if (name === '' || forbiddenInName.test(name)) return undefined;
    return endsInNumber(name) ? ipv4(name) : name;
  };
}
