// Which promises code of the script waits for while a timer is set. A timer that nothing
// waits for does not keep a run alive (loop.go).
(host, internal) => {
  'use strict';

  const { apply, timing } = internal;
  const { defineProperty } = Object;
  const waited = new Set(); // those that have settled are removed at times
  let most = 64;
  let quiet = 0; // depth of calls that read a promise without waiting for it

  const prune = () => {
    for (const promise of waited) if (host.promiseState(promise) !== 0) waited.delete(promise);
  };

  // unwatched marks a promise that only the engine waits for, and returns it.
  const ours = new WeakSet();
  internal.unwatched = (promise) => {
    ours.add(promise);
    return promise;
  };

  const note = (promise) => {
    if (host.promiseState(promise) !== 0 || ours.has(promise)) return;
    waited.add(promise);
    if (waited.size < most) return;
    prune();
    most = Math.max(64, 2 * waited.size);
  };

  // awaited is called when the constructor of a promise is read, as await does, while a timer is set.
  internal.awaited = (promise) => {
    if (quiet === 0 && promise !== Promise.prototype) note(promise);
  };

  const quietly = (f, owner, args) => {
    quiet++;
    try {
      return apply(f, owner, args);
    } finally {
      quiet--;
    }
  };
  const replace = (owner, name, made) => {
    defineProperty(made, 'name', { value: name });
    defineProperty(owner, name, { value: made, writable: true, configurable: true });
  };

  // A function for the value of a promise waits for it; one for its failure alone does not,
  // and a race no longer does when it is decided.
  let racing = 0;
  const { then } = Promise.prototype;
  replace(Promise.prototype, 'then', { then(fulfilled, rejected) {
    if (racing === 0 && typeof fulfilled === 'function' && timing.strong > 0) note(this);
    return quietly(then, this, [fulfilled, rejected]);
  } }.then);
  for (const name of ['race', 'any']) {
    const decide = Promise[name];
    replace(Promise, name, { decide(promises) {
      racing++;
      try {
        return quietly(decide, this, [promises]);
      } finally {
        racing--;
      }
    } }.decide);
  }

  // giveUp gives up all timers and returns a notice, or undefined if code waits for one of
  // them. last says that the time of the run is over: then only a script without a value
  // goes on waiting.
  internal.giveUp = (namespace, last) => {
    prune();
    const waits = waited.size > 0;
    if (internal.pendingIn(namespace.default)) return undefined;
    if (waits && !(last && namespace.default !== undefined)) return undefined;
    const [first, ...others] = internal.dropTimers();
    if (first === undefined) return '';
    const place = first === '' ? 'a timer' : `the timer that was set at ${first}`;
    const [all, was, it] = others.length === 0 ? ['', 'was', 'it'] : [` and ${others.length} more`, 'were', 'them'];
    const why = waits ? 'when the time of the run was over; the code that waited was not run' : 'after the end of the script, because nothing waited';
    return `${place}${all} ${was} stopped ${why}: clear ${it} with clearTimeout or clearInterval`;
  };
}
