// stack replaces the prelude's part of that name: V8 gives every error its own stack,
// and calls this code to format it.
(host, internal) => {
  'use strict';

  const { apply, descriptor } = internal;
  const stackOf = descriptor(new Error(), 'stack').get;
  const raw = new WeakMap();
  const moved = new WeakMap();
  Error.stackTraceLimit = 10; // as many as QuickJS gives

  // frame formats one line, as all engines do.
  const frame = (site) => {
    const file = internal.script?.names.get(site.getFileName()) ?? site.getFileName();
    const place = `${file}:${site.getLineNumber()}:${site.getColumnNumber()}`;
    const name = site.getFunctionName();
    return `    at ${name === null ? place : `${name} (${place})`}`;
  };

  Object.defineProperty(Error, 'prepareStackTrace', {
    value(error, sites) {
      const frames = sites.map(frame).join('\n');
      raw.set(error, frames);
      const trace = host.trace(moved.get(error) ?? frames);
      return internal.errorHeader(error) + (trace === '' ? '' : `\n${trace}`);
    },
  });
  internal.forging = []; // who takes these away takes the traces away: they are frozen

  // frames returns the frames of an error as the engine recorded them. setFrames
  // replaces them, for an error that is created later than its cause.
  internal.frames = (error) => {
    if (moved.has(error)) return moved.get(error);
    const own = descriptor(error, 'stack');
    if (own?.get === stackOf) apply(stackOf, error, []); // has raw filled
    return raw.get(error) ?? '';
  };
  internal.setFrames = (error, frames) => moved.set(error, frames);
}
