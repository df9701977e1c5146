// main waits for a run, runs its script and reports the result.
async (host, internal) => {
  'use strict';

  const { send, receive, stringify } = internal;
  let phase = 'executing';

  // fail ends the run with an uncaught error.
  internal.fail = (error) => {
    send('f', stringify({ phase: loadFailed(error) ? 'parsing' : phase, description: internal.describe(error) }));
    internal.leave();
  };
  // The syntax error of a module has no frame of the script.
  const loadFailed = (error) => loading && error instanceof SyntaxError && !internal.frames(error).includes(internal.script.name);
  let loading = true;

  send('r', ''); // everything is loaded and frozen
  const run = receive();
  internal.beginRun(run);
  // The script waits for another module, so that it starts in a microtask.
  // Otherwise Deno would run due timers before the microtasks of the script's first
  // part.
  const before = internal.moduleURL('await null');
  const { modules } = run;
  const url = modules ? internal.address(modules.script, modules.folder) : internal.moduleURL(`${run.code}\nimport ${stringify(before)};`);
  internal.script = { name: run.name, names: new Map([[url, run.name]]), urls: new Map() };
  for (const name of modules?.names ?? []) {
    const at = internal.address(name, modules.folder);
    internal.script.names.set(at, name);
    internal.script.urls.set(name, at);
  }
  let [namespace, text] = [];
  try {
    namespace = await import(url);
    loading = false;
    if (run.parameter !== undefined || run.calls) namespace = await internal.call(namespace);
    await internal.unwatched(internal.settled(namespace)); // code that is not awaited may still add to the value
    phase = 'finalizing';
    text = await internal.finish(namespace);
  } catch (error) {
    internal.fail(error);
  }
  phase = 'executing';
  await internal.unwatched(internal.settled(namespace)); // toJSON of the value may have begun calls
  send('v', text ?? '');
  internal.leave();
}
