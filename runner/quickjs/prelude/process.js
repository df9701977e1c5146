// The script's view of its environment, and process.exit.
(host, internal) => {
  'use strict';

  const about = { args: [], cwd: '', env: {} };
  let started = () => {};

  // deepFreeze freezes a value that JSON can hold, and returns it. It does not recurse,
  // because a value may nest deeper than the stack allows.
  const deepFreeze = (value) => {
    const waiting = [value];
    while (waiting.length > 0) {
      const next = waiting.pop();
      if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
      Object.freeze(next);
      for (const key of internal.ownKeys(next)) waiting.push(next[key]);
    }
    return value;
  };

  // contextOf returns the global context of a script in the answer of a model.
  const contextOf = ({ answer, cwd }) => deepFreeze({
    conversationId: answer.conversationId,
    workingDir: cwd,
    scriptId: answer.scriptId,
    telemetry: { emitProgress: Object.freeze((text) => { host.write(2, `${text}`); }) },
  });

  // begin sets the values of the current run.
  internal.begin = (text) => {
    const run = internal.parse(text);
    about.args = run.args;
    about.cwd = run.cwd;
    about.env = run.env ?? {};
    internal.freezes = run.answer ? deepFreeze : undefined;
    internal.given = run.given;
    started(about.args, run.answer ? contextOf(run) : undefined);
  };
  internal.whenBegun = (callback) => { started = callback; };

  const exit = (code = 0) => {
    if (!Number.isInteger(code) || code < 0 || code > 255) {
      throw new RangeError(`an exit code is a whole number from 0 to 255, not ${internal.inspect(code, 0)}`);
    }
    return host.exit(code);
  };
  const cwd = () => about.cwd;
  const env = Object.freeze({
    get: (name) => (Object.hasOwn(about.env, name) ? about.env[name] : undefined),
    has: (name) => Object.hasOwn(about.env, name),
    toObject: () => ({ ...about.env }),
  });

  Object.assign(internal, { exit, cwd, env });
  internal.define('Deno', Object.freeze({
    cwd,
    exit,
    env,
    get args() { return about.args; },
  }));
}
