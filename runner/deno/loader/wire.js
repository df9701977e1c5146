// wire is the connection to the gateway's process: frames on standard output, and
// answers on standard input, read synchronously. The functions of Deno that the
// loader needs are saved here, before any script runs.
(host, internal) => {
  'use strict';

  const { stdin, stdout } = Deno;
  const [read, write] = [stdin.readSync.bind(stdin), stdout.writeSync.bind(stdout)];
  const encoder = new TextEncoder();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const [encode, decode] = [encoder.encode.bind(encoder), decoder.decode.bind(decoder)];
  const { parse, stringify } = internal;
  const [Bytes, View] = [Uint8Array, DataView];
  const header = 5;

  const writeAll = (bytes) => {
    for (let at = 0; at < bytes.length;) at += write(bytes.subarray(at));
  };

  // mostBytes is the longest frame that the gateway accepts.
  internal.mostBytes = 32 << 20;

  // sendBytes writes one frame: its length, its type, its parts.
  internal.sendBytes = (type, ...parts) => {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const frame = new Bytes(header + length);
    new View(frame.buffer).setUint32(0, length, true);
    frame[4] = type.charCodeAt(0);
    let at = header;
    for (const part of parts) {
      frame.set(part, at);
      at += part.length;
    }
    writeAll(frame);
  };
  internal.send = (type, text) => internal.sendBytes(type, encode(text));

  const readAll = (length) => {
    const bytes = new Bytes(length);
    for (let at = 0; at < length;) {
      const n = read(bytes.subarray(at));
      if (n === null) internal.leave(); // the gateway is gone
      at += n;
    }
    return bytes;
  };

  // receive waits for one message and parses its JSON.
  internal.receive = () => parse(decode(readAll(new View(readAll(4).buffer).getUint32(0, true))));

  // ask sends a request to the gateway and waits for its answer.
  internal.ask = (question, ...given) => {
    internal.send('?', stringify({ question, given }));
    return internal.receive();
  };

  const { exit } = Deno;
  internal.leave = () => exit(0);
}
