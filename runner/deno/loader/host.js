// host has the operations that the prelude asks of its engine.
(host, internal) => {
  'use strict';

  const { ask, send } = internal;
  const { setTimeout, clearTimeout, fetch, AbortController, crypto, performance, Deno, encodeURIComponent } = globalThis;
  const [encoder, random] = [new TextEncoder(), crypto.getRandomValues.bind(crypto)];
  const [lossy, strict] = [false, true].map((fatal) => new TextDecoder('utf-8', { fatal, ignoreBOM: true }));
  const base = Deno.env.get('TOOLSCRIPT_GATEWAY_URL');
  const started = { at: 0 };

  host.write = (stream, text) => {
    const most = 1 << 18; // characters in one frame: the gateway reads as fast as its client
    for (let at = 0; at < text.length; at += most) send(stream === 0 ? 'o' : 'e', text.slice(at, at + most).toWellFormed());
  };
  // Before there is a script, what fails is the loader, of which everything is told.
  host.trace = (frames) => (frames === '' || !internal.script ? frames : ask('trace', frames));
  host.now = () => performance.now() - started.at;
  host.random = (length) => random(new Uint8Array(length));
  host.encode = (text) => encoder.encode(text);
  host.decode = (bytes, fatal) => {
    try {
      return (fatal ? strict : lossy).decode(bytes);
    } catch {
      return undefined; // no UTF-8
    }
  };
  host.exit = (code) => {
    send('x', `${code}`);
    internal.leave();
  };

  // Names stay with the gateway; a script pays for those it uses.
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
  host.names = (server) => JSON.stringify(ask('names', server));
  host.missing = (server, name) => ask('missing', server, name);
  const wireName = once('id');

  // Timers. strong is how many the script does not end without.
  const timers = new Map();
  let [strong, idle] = [0, () => {}];
  const drop = (id) => {
    const timer = timers.get(id);
    timers.delete(id);
    if (timer && !timer.weak && --strong === 0) idle();
    return timer;
  };
  host.timer = (id, ms, weak) => {
    const delay = ms >= 1 && ms <= 2147483647 ? ms : 1;
    const native = setTimeout(() => {
      try {
        internal.fire(id);
      } catch (error) {
        internal.fail(error);
      } finally {
        if (timers.get(id)?.native === native) drop(id);
      }
    }, delay);
    if (weak) Deno.unrefTimer(native);
    drop(id);
    timers.set(id, { native, weak });
    if (!weak) strong++;
  };
  host.clear = (id) => clearTimeout(drop(id)?.native);

  // settled waits for all timers, and then for what the last of them began.
  internal.settled = async () => {
    do {
      if (strong > 0) await new Promise((resolve) => { idle = resolve; });
      await new Promise((resolve) => { setTimeout(resolve, 0); });
    } while (strong > 0);
  };

  // Calls. No more are sent at once than the gateway would answer at once.
  const run = { toolCalls: 0, concurrency: 1, stdin: false };
  const queue = [];
  const ending = new Map(); // what ends a call that is under way
  const cancelled = JSON.stringify({ code: 'cancelled', message: 'the script cancelled the call' });
  let [flying, pending] = [0, 0];
  const post = async (id, tool, body) => {
    const controller = new AbortController();
    ending.set(id, () => controller.abort());
    try {
      const answer = await fetch(`${base}/tools/${encodeURIComponent(tool)}`, {
        method: 'POST', headers: { 'content-type': 'application/json', 'toolscript-call': `${id}` }, body, signal: controller.signal,
      });
      const text = await answer.text();
      pending--;
      internal.settle(id, answer.ok ? 0 : 1, text);
    } catch (error) {
      if (controller.signal.aborted) {
        pending--;
        internal.settle(id, 1, cancelled);
      } else {
        internal.fail(error);
      }
    }
    ending.delete(id);
    flying--;
    next();
  };
  const next = () => {
    while (flying < run.concurrency && queue.length > 0) {
      flying++;
      post(...queue.shift());
    }
  };
  host.call = (id, server, name, body) => {
    if (pending >= run.toolCalls) return 0;
    pending++;
    queue.push([id, wireName(server, name), body]);
    next();
    return 1;
  };

  host.cancel = (id) => {
    const waiting = queue.findIndex(([queued]) => queued === id);
    if (waiting < 0) {
      ending.get(id)?.();
      return;
    }
    queue.splice(waiting, 1);
    pending--;
    internal.settle(id, 1, cancelled);
  };

  // Standard input, a piece at a time, when the script asks for it.
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  const piece = async () => {
    try {
      const answer = await fetch(`${base}/stdin`, { method: 'POST', headers: { 'content-type': 'application/json' } });
      if (answer.status === 200) {
        internal.feed(text.decode(await answer.arrayBuffer(), { stream: true }));
        return;
      }
      run.stdin = false;
      internal.feed(text.decode());
      internal.feed();
    } catch (error) {
      internal.fail(error);
    }
  };
  host.stdin = () => {
    if (!run.stdin) return 0;
    piece();
    return 1;
  };

  internal.beginRun = (given) => {
    Object.assign(run, { toolCalls: given.toolCalls, concurrency: given.concurrency, stdin: given.stdin });
    if (given.tz !== '') Deno.env.set('TZ', given.tz);
    Deno.permissions.revokeSync({ name: 'env', variable: 'TZ' });
    internal.begin(JSON.stringify({ args: given.args, cwd: given.cwd, env: { TOOLSCRIPT_GATEWAY_URL: base } }));
    started.at = performance.now();
  };
}
