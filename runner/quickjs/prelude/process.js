// The script's view of its environment, and process.exit.
(host, internal) => {
  'use strict';

  const about = { args: [], cwd: '', env: {} };
  let started = () => {};

  // begin sets the values of the current run.
  internal.begin = (text) => {
    const run = internal.parse(text);
    about.args = run.args;
    about.cwd = run.cwd;
    about.env = run.env ?? {};
    started(about.args);
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
