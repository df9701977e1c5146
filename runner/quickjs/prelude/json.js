// JSON with integers of any size, and with whole texts. An integer that a number cannot
// tell from its neighbours is a bigint.
(host, internal) => {
  'use strict';

  const { parse, stringify, rawJSON } = JSON;
  const { isSafeInteger } = Number;
  const { uncurry } = internal;
  const matches = uncurry(RegExp.prototype.test);
  const replace = uncurry(String.prototype.replace);
  const includes = uncurry(String.prototype.includes);
  const digits = uncurry(BigInt.prototype.toString);

  const mayBeLarge = /(?:^|[\s:,[])-?\d{16}/; // only such a text has to be parsed slowly
  const integer = /^-?\d+$/;
  const exact = (key, value, { source }) => (
    typeof value === 'number' && !isSafeInteger(value) && matches(integer, source) ? BigInt(source) : value);

  internal.parseExact = (text) => parse(text, exact);
  internal.parse = (text) => (text.length > 15 && matches(mayBeLarge, text) ? parse(text, exact) : parse(text));

  // JSON.stringify escapes half of a surrogate pair, which other programs refuse, or never
  // answer.
  const escape = /\\(?:ud[89a-f]..|[^])/g;
  const whole = (found) => (found.length > 2 ? '\uFFFD' : found);
  internal.stringify = (value, replacer) => {
    const text = stringify(value, replacer);
    return text !== undefined && includes(text, '\\ud') ? replace(text, escape, whole) : text;
  };

  Object.defineProperty(BigInt.prototype, 'toJSON', {
    value: { toJSON() { return rawJSON(digits(this)); } }.toJSON, writable: true, enumerable: false, configurable: true,
  });
}
