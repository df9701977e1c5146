// CompressionStream and DecompressionStream. Their input is kept until it is complete,
// because all of it is in memory anyway; then the host converts it in pieces.
(host, internal) => {
  'use strict';

  const formats = ['gzip', 'deflate', 'deflate-raw'];

  // convert returns the pieces of the result; a bomb fills the memory of the script and
  // not that of the host. An engine with an own function of that name uses it.
  internal.convert ??= (decode, format, bytes) => {
    host.convert(decode, format);
    const pieces = [];
    for (let next = host.converted(bytes); next !== undefined; next = host.converted(bytes)) {
      if (next === 0) return undefined; // the bytes are not valid
      pieces.push(next);
    }
    return pieces;
  };

  // pair makes both ends of a converter.
  const pair = (name, decode, given) => {
    const format = `${given}`;
    if (!formats.includes(format)) {
      throw new TypeError(`${name} does not know the format ${internal.quote(format)}; there are ${formats.join(', ')}`);
    }
    const parts = [];
    let [output, input] = [];
    const readable = new ReadableStream({
      start(controller) { output = controller; },
      cancel(reason) { input.error(reason); },
    });
    const refuse = (message) => {
      const error = new TypeError(message);
      output.error(error);
      throw error;
    };
    const writable = new WritableStream({
      start(controller) { input = controller; },
      write(chunk) {
        const bytes = internal.bytesOf(chunk);
        if (bytes === undefined) refuse(`${name} takes bytes, not ${internal.inspect(chunk, 0)}; new TextEncoder().encode(text) makes them`);
        parts.push(bytes.slice());
      },
      close() {
        let pieces;
        try {
          pieces = internal.convert(decode, format, internal.joined(parts.splice(0)));
        } catch (error) { // the memory is full
          output.error(error);
          throw error;
        }
        if (pieces === undefined) refuse(`the data is not valid ${format}: it is damaged, ends too early, or more data follows it`);
        for (const piece of pieces) output.enqueue(piece);
        output.close();
      },
      abort(reason) { output.error(reason); },
    });
    return { readable, writable };
  };

  class CompressionStream {
    #ends;
    constructor(format) { this.#ends = pair('CompressionStream', 0, format); }
    get readable() { return this.#ends.readable; }
    get writable() { return this.#ends.writable; }
  }

  class DecompressionStream {
    #ends;
    constructor(format) { this.#ends = pair('DecompressionStream', 1, format); }
    get readable() { return this.#ends.readable; }
    get writable() { return this.#ends.writable; }
  }

  for (const type of [CompressionStream, DecompressionStream]) {
    internal.views.set(type, (stream, seen) => [`readable: ${internal.inner(stream.readable, seen)}`, `writable: ${internal.inner(stream.writable, seen)}`]);
    internal.define(type.name, internal.tag(type));
  }
}
