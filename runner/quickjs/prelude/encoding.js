// TextEncoder and TextDecoder. UTF-8 is the only encoding.
(host, internal) => {
  'use strict';

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text = '') { return host.encode(`${text}`.toWellFormed()); }

    encodeInto(text, target) {
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

  const bytesOf = (input) => {
    if (input === undefined) return new Uint8Array();
    if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    if (input instanceof ArrayBuffer) return new Uint8Array(input);
    throw new TypeError('TextDecoder.decode takes an ArrayBuffer or a view of one');
  };

  const joined = (a, b) => {
    const both = new Uint8Array(a.length + b.length);
    both.set(a);
    both.set(b, a.length);
    return both;
  };

  class TextDecoder {
    #fatal;
    #keepMark;
    #rest = new Uint8Array();
    #begun = false;

    constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
      if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(label)) {
        throw new RangeError(`the encoding ${internal.quote(`${label}`)} is not supported: only utf-8 is`);
      }
      this.#fatal = Boolean(fatal);
      this.#keepMark = Boolean(ignoreBOM);
    }
    get encoding() { return 'utf-8'; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepMark; }

    decode(input, { stream = false } = {}) {
      let bytes = bytesOf(input);
      if (this.#rest.length > 0) bytes = joined(this.#rest, bytes);
      const cut = stream ? unfinished(bytes) : 0;
      this.#rest = bytes.slice(bytes.length - cut);
      let text = host.decode(bytes.subarray(0, bytes.length - cut), this.#fatal ? 1 : 0);
      if (text === undefined) throw new TypeError('The encoded data was not valid for encoding utf-8');
      if (!this.#begun && !this.#keepMark && text.startsWith('\ufeff')) text = text.slice(1);
      this.#begun = stream && (this.#begun || text !== '');
      return text;
    }
  }

  for (const type of [TextEncoder, TextDecoder]) internal.define(type.name, internal.tag(type));
}
