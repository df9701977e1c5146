// host implements the operations that the prelude needs from its engine.
(host, internal) => {
  'use strict';

  const { ask, send, stringify } = internal;
  const { setTimeout, clearTimeout, fetch, crypto, performance, Deno } = globalThis;
  const [encoder, random] = [new TextEncoder(), crypto.getRandomValues.bind(crypto)];
  const lossy = new TextDecoder('utf-8', { ignoreBOM: true });
  const base = Deno.env.get('TOOLSCRIPT_GATEWAY_URL');
  const started = { at: 0 };

  host.write = (stream, text) => {
    const most = 1 << 18; // characters in one frame: the gateway reads as fast as its client
    for (let at = 0; at < text.length; at += most) send(stream === 0 ? 'o' : 'e', text.slice(at, at + most).toWellFormed());
  };
  // Before the script starts, every failure is a failure of the loader and is
  // reported completely.
  host.trace = (frames) => (frames === '' || !internal.script ? frames : ask('trace', frames));
  host.now = () => performance.now() - started.at;
  host.random = (length) => random(new Uint8Array(length));
  host.encode = (text) => encoder.encode(text);
  const Decoder = TextDecoder; // the prelude replaces it
  const decoders = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be']; // in the order of encoding.js
  host.decode = (bytes, fatal, encoding) => {
    try {
      return new Decoder(decoders[encoding], { fatal: fatal === 1, ignoreBOM: true }).decode(bytes);
    } catch {
      return undefined; // not valid
    }
  };
  host.exit = (code) => {
    send('x', `${code}`);
    internal.leave();
  };

  // The gateway keeps the names. A script pays only for the names it uses.
  const once = (question) => {
    const known = new Map();
    return (...given) => {
      const key = given.join('\n');
      if (!known.has(key)) known.set(key, ask(question, ...given));
      return known.get(key);
    };
  };
  host.server = once('server');
  host.tool = once('tool');
  host.shown = once('shown');
  host.pages = once('pages');
  host.names = (server) => stringify(ask('names', server));
  host.missing = (server, name) => ask('missing', server, name);
  const wireName = once('id');

  // settled waits until nothing is left that can continue the script: timers that keep it
  // alive, calls that it may await, and reads of standard input, as in node. The work that
  // the last of them causes comes first. Timers that nothing waits for have a time.
  const awaited = new Set(); // calls
  let [strong, reading, digesting, wake] = [0, 0, 0, () => {}];
  const working = () => awaited.size + reading + digesting > 0;
  const pause = (ms) => new Promise((resolve) => {
    wake = resolve;
    if (ms !== undefined) Deno.unrefTimer(setTimeout(resolve, ms));
  });
  const now = performance.now.bind(performance);
  let ends; // the time of the timers
  internal.settled = async (namespace) => {
    ends ??= now() + ask('grace');
    for (;;) {
      await new Promise((resolve) => { setTimeout(resolve, 0); });
      if (!working() && strong === 0) return;
      let spare; // until the timers are given up
      if (!working() && now() < ends) spare = ends - now();
      else if (!working()) {
        spare = ask('spare'); // before the limit of time; null: none
        const notice = internal.giveUp(namespace, spare === 0);
        if (notice) send('n', notice);
        if (notice !== undefined) continue;
        if (spare === 0 || spare === null) spare = undefined;
      }
      await pause(spare);
    }
  };

  // Timers. strong is the number of timers that keep the script alive.
  const timers = new Map();
  const drop = (id) => {
    const timer = timers.get(id);
    timers.delete(id);
    if (timer && !timer.weak) strong--;
    return timer;
  };
  host.timer = (id, ms, weak) => {
    const native = setTimeout(() => {
      try {
        internal.fire(id);
      } catch (error) {
        internal.fail(error);
      } finally {
        if (timers.get(id)?.native === native) drop(id);
        wake();
      }
    }, ms);
    if (weak) Deno.unrefTimer(native);
    drop(id);
    timers.set(id, { native, weak });
    if (!weak) strong++;
  };
  host.clear = (id) => {
    clearTimeout(drop(id)?.native);
    wake();
  };

  // Digests. Deno computes them in another thread; until then they keep the script alive.
  const { subtle } = crypto;
  const digested = async (work) => {
    digesting++;
    try {
      return new Uint8Array(await work());
    } finally {
      digesting--;
      wake();
    }
  };
  host.digest = (hash, bytes) => digested(() => subtle.digest(hash, bytes));
  host.hmac = (hash, key, bytes) => digested(async () => {
    const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash }, false, ['sign']);
    return subtle.sign('HMAC', imported, bytes);
  });

  // convert compresses and decompresses with zlib. Deno's own streams do not read a gzip file
  // of several members, and take no input for a whole one.
  const loadZlib = globalThis.process.getBuiltinModule.bind(globalThis.process, 'node:zlib');
  const converters = {
    gzip: ['gzipSync', 'gunzipSync'], deflate: ['deflateSync', 'inflateSync'], 'deflate-raw': ['deflateRawSync', 'inflateRawSync'],
  };
  internal.convert = (decode, format, bytes) => {
    try {
      const { buffer, engine } = loadZlib()[converters[format][decode]](bytes, { info: true });
      if (decode === 1 && engine.bytesWritten !== bytes.length) return undefined; // more data follows
      return [new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)];
    } catch {
      return undefined;
    }
  };

  // Calls. A call begins with a frame. The answers are fetched one after the other,
  // in the order in which the calls end.
  const run = { toolCalls: 0, stdin: false };
  let [pending, listening] = [0, false];
  const post = (path) => fetch(`${base}/${path}`, { method: 'POST', headers: { 'content-type': 'application/json' } });
  // An error of fetch contains the address, which is a secret.
  const unreachable = () => internal.fail(new Error('the gateway does not answer this script any more'));
  const listen = async () => {
    listening = true;
    while (pending > 0) {
      let [answer, text] = [];
      try {
        answer = await post('answer');
        text = await answer.text();
      } catch {
        return unreachable();
      }
      pending--;
      const id = Number(answer.headers.get('toolscript-call'));
      internal.settle(id, answer.ok ? (answer.headers.has('toolscript-content') ? 3 : 0) : 1, text);
      awaited.delete(id);
      wake();
    }
    listening = false;
  };
  host.call = (id, server, name, args, task, key) => {
    if (pending >= run.toolCalls) return 0;
    const tool = wireName(server, name);
    const header = encoder.encode(`${stringify({ call: id, tool, task: task === 1, key })}\n`);
    const given = encoder.encode(args);
    if (header.length + given.length > internal.mostBytes) {
      const message = `the arguments of ${tool} are too long: ${given.length} bytes, and ${internal.mostBytes} may be passed on`;
      internal.settle(id, 1, stringify({ tool, code: 'too_large', message }));
      return 1;
    }
    pending++;
    if (task !== 1) awaited.add(id);
    internal.sendBytes('c', header, given);
    if (!listening) listen();
    return 1;
  };
  host.cancel = (id) => send('k', `${id}`);
  host.await = (id) => { awaited.add(id); };

  // Standard input, one piece at a time, on demand.
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  const piece = async () => {
    let [answer, chunk] = [];
    try {
      answer = await post('stdin');
      chunk = await answer.arrayBuffer();
    } catch {
      return unreachable();
    }
    if (answer.status === 200) return internal.feed(text.decode(chunk, { stream: true }));
    run.stdin = false;
    internal.feed(text.decode());
    internal.feed(undefined, answer.status === 204 ? undefined : internal.parse(lossy.decode(chunk)).message);
    return undefined;
  };
  host.stdin = () => {
    if (!run.stdin) return 0;
    reading++;
    piece().finally(() => {
      reading--;
      wake();
    });
    return 1;
  };

  internal.beginRun = (given) => {
    Object.assign(run, { toolCalls: given.toolCalls, stdin: given.stdin });
    if (given.tz !== '') Deno.env.set('TZ', given.tz);
    Deno.permissions.revokeSync({ name: 'env', variable: 'TZ' });
    internal.begin(stringify({ args: given.args, cwd: given.cwd, given: given.parameter === undefined ? [] : [given.parameter], env: { TOOLSCRIPT_GATEWAY_URL: base } }));
    started.at = performance.now();
  };
}
