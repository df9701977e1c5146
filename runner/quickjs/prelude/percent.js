// Percent-encoding of the URL Standard.
(host, internal) => {
  'use strict';

  const utf8 = (text) => host.encode(text.toWellFormed());
  const hex = (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  const encoded = (text) => Array.from(utf8(text), hex).join('');

  // A set is a pattern of the characters that are encoded.
  const fragment = /[^\x21\x23-\x3b\x3d\x3f-\x5f\x61-\x7e]+/gu;
  internal.percentSets = {
    control: /[^\x20-\x7e]+/gu,
    fragment,
    query: /[^\x21\x24-\x3b\x3d\x3f-\x7e]+/gu,
    specialQuery: /[^\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e]+/gu,
    path: /[^\x21\x24-\x3b\x3d\x40-\x5f\x61-\x7a\x7c\x7e]+/gu,
    userinfo: /[^\x21\x24-\x2e\x30-\x39\x41-\x5a\x5f\x61-\x7a\x7e]+/gu,
    form: /[^*\-.0-9A-Z_a-z]+/gu,
  };

  internal.percentEncode = (text, set) => text.replace(set, encoded);

  internal.percentDecode = (text) => {
    if (!text.includes('%')) return text;
    const bytes = [];
    for (const piece of text.match(/%[0-9a-fA-F]{2}|[^%]+|%/g) ?? []) {
      if (/^%../.test(piece)) bytes.push(parseInt(piece.slice(1), 16));
      else for (const byte of utf8(piece)) bytes.push(byte); // not spread: a call takes 65,535 arguments
    }
    return host.decode(new Uint8Array(bytes), 0);
  };
}
