// main waits for a run, runs its script and says how it ended.
async (host, internal) => {
  'use strict';

  const { send, receive, stringify } = internal;
  let phase = 'executing';

  // fail ends the run with an error that nobody caught.
  internal.fail = (error) => {
    send('f', stringify({ phase: loadFailed(error) ? 'parsing' : phase, told: internal.describe(error) }));
    internal.leave();
  };
  // A module that cannot be parsed has an error without a frame of the script.
  const loadFailed = (error) => loading && error instanceof SyntaxError && !internal.frames(error).includes(internal.script.name);
  let loading = true;

  internal.special.set('Shown', internal.shown);
  send('r', ''); // everything is loaded and frozen
  const run = receive();
  internal.beginRun(run);
  // The script waits for another module, so that it begins in a microtask: Deno would
  // otherwise run timers whose time has come before the microtasks of its first part.
  const before = internal.moduleURL('await null');
  const url = internal.moduleURL(`${run.code}\nimport ${stringify(before)};`);
  internal.script = { url, name: run.name };
  let text;
  try {
    const namespace = await import(url);
    loading = false;
    phase = 'finalizing';
    text = await internal.finish(namespace);
  } catch (error) {
    internal.fail(error);
  }
  phase = 'executing';
  await internal.settled();
  send('v', text ?? '');
  internal.leave();
}
