// Blob: bytes that do not change, with a media type.
(host, internal) => {
  'use strict';

  const piece = 65536; // bytes in one chunk of its stream

  // typeOf returns a media type as the File API stores it.
  const typeOf = (type) => {
    const text = `${type ?? ''}`;
    return /^[\x20-\x7e]*$/.test(text) ? text.toLowerCase() : '';
  };

  // index converts an argument of slice, which counts from the end if it is negative.
  const index = (given, size, absent) => {
    if (given === undefined) return absent;
    const at = Math.trunc(Number(given)) || 0;
    return at < 0 ? Math.max(size + at, 0) : Math.min(at, size);
  };

  class Blob {
    #bytes;
    #type;

    constructor(parts = [], options = {}) {
      if (typeof parts !== 'object' || typeof parts?.[Symbol.iterator] !== 'function') {
        throw new TypeError(`a Blob takes a list of parts, not ${internal.inspect(parts, 0)}`);
      }
      this.#bytes = internal.joined(Array.from(parts, Blob.#part));
      this.#type = typeOf(options?.type);
    }

    static #part(part) {
      if (typeof part === 'object' && part !== null && #bytes in part) return part.#bytes;
      return internal.bytesOf(part) ?? host.encode(`${part}`.toWellFormed());
    }

    get size() { return this.#bytes.length; }
    get type() { return this.#type; }
    async text() { return new TextDecoder().decode(this.#bytes); }
    async bytes() { return this.#bytes.slice(); }
    async arrayBuffer() { return this.#bytes.slice().buffer; }

    slice(start, end, type) {
      const { size } = this;
      const part = new Blob();
      part.#bytes = this.#bytes.subarray(index(start, size, 0), index(end, size, size));
      part.#type = typeOf(type);
      return part;
    }

    stream() {
      const bytes = this.#bytes;
      let at = 0;
      return new ReadableStream({
        pull(controller) {
          if (at < bytes.length) controller.enqueue(bytes.slice(at, at + piece));
          at += piece;
          if (at >= bytes.length) controller.close();
        },
      }, { highWaterMark: 0 });
    }
  }

  internal.views.set(Blob, (blob) => [`size: ${blob.size}`, `type: ${internal.quote(blob.type)}`]);
  internal.define('Blob', internal.tag(Blob));
}
