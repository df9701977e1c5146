// TextEncoder and TextDecoder, for UTF-8, UTF-16 and windows-1252, which is latin1 on the
// web.
(host, internal) => {
  'use strict';

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text = '') { return host.encode(`${text}`.toWellFormed()); }

    encodeInto(text, target) {
      if (!(target instanceof Uint8Array)) throw new TypeError('TextEncoder.encodeInto writes to a Uint8Array');
      const whole = `${text}`.toWellFormed();
      let [read, written] = [0, 0];
      for (const character of whole) {
        const bytes = host.encode(character);
        if (written + bytes.length > target.length) break;
        target.set(bytes, written);
        read += character.length;
        written += bytes.length;
      }
      return { read, written };
    }
  }

  // unfinished returns the number of bytes at the end that may begin a character.
  const unfinished = (bytes) => {
    for (let n = 1; n <= Math.min(3, bytes.length); n++) {
      const byte = bytes[bytes.length - n];
      if ((byte & 0xc0) === 0x80) continue;
      const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
      return size > n ? n : 0;
    }
    return 0;
  };

  // half is unfinished for UTF-16: an odd byte, and the first half of a pair.
  const half = (bytes, high) => {
    const odd = bytes.length % 2;
    const last = bytes[bytes.length - odd - (high === 1 ? 1 : 2)];
    return odd + (last >= 0xd8 && last <= 0xdb ? 2 : 0);
  };

  // encodings have the labels of the Encoding Standard, and the number of each encoding in
  // host.decode.
  const encodings = [
    { name: 'utf-8', unfinished, labels: 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8' },
    {
      name: 'windows-1252', unfinished: () => 0,
      labels: 'ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252',
    },
    {
      name: 'utf-16le', unfinished: (bytes) => half(bytes, 1),
      labels: 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le',
    },
    { name: 'utf-16be', unfinished: (bytes) => half(bytes, 0), labels: 'unicodefffe utf-16be' },
  ];
  const byLabel = new Map(encodings.flatMap((e, number) => e.labels.split(' ').map((label) => [label, { ...e, number }])));

  const encodingOf = (label) => {
    const found = byLabel.get(label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '').toLowerCase());
    if (found) return found;
    const names = encodings.map((e) => e.name).join(', ');
    throw new RangeError(`the encoding ${internal.quote(label)} is not supported; there are ${names} and latin1`);
  };

  // bytesOf returns the bytes of an ArrayBuffer or of a view of one, without a copy, and
  // undefined for all other values.
  internal.bytesOf = (input) => {
    if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    return input instanceof ArrayBuffer ? new Uint8Array(input) : undefined;
  };

  const inputOf = (input) => {
    const bytes = input === undefined ? new Uint8Array() : internal.bytesOf(input);
    if (bytes === undefined) throw new TypeError('TextDecoder.decode takes an ArrayBuffer or a view of one');
    return bytes;
  };

  // joined returns the content of several lists of bytes as one.
  internal.joined = (parts) => {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  };

  class TextDecoder {
    #encoding;
    #fatal;
    #keepMark;
    #rest = new Uint8Array();
    #begun = false;

    constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
      this.#encoding = encodingOf(`${label}`);
      this.#fatal = Boolean(fatal);
      this.#keepMark = Boolean(ignoreBOM);
    }
    get encoding() { return this.#encoding.name; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepMark; }

    decode(input, { stream = false } = {}) {
      let bytes = inputOf(input);
      if (this.#rest.length > 0) bytes = internal.joined([this.#rest, bytes]);
      const { name, number, unfinished: rest } = this.#encoding;
      const cut = stream ? rest(bytes) : 0;
      this.#rest = bytes.slice(bytes.length - cut);
      let text = host.decode(bytes.subarray(0, bytes.length - cut), this.#fatal ? 1 : 0, number);
      if (text === undefined) {
        this.#rest = new Uint8Array();
        this.#begun = false;
        throw new TypeError(`The encoded data was not valid for encoding ${name}`);
      }
      const first = !this.#begun;
      this.#begun = stream && (this.#begun || text !== '');
      if (first && !this.#keepMark && text.startsWith('\ufeff')) text = text.slice(1);
      return text;
    }
  }

  for (const type of [TextEncoder, TextDecoder]) internal.define(type.name, internal.tag(type));
}
