// AbortController and AbortSignal.
(host, internal) => {
  'use strict';

  const create = Symbol('create');
  const aborted = (message, name) => new DOMException(message, name);

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    #followers = [];

    constructor(key) {
      if (key !== create) throw new TypeError('Illegal constructor: use new AbortController()');
      super();
      Object.defineProperty(this, 'onabort', { value: null, writable: true, configurable: true });
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }

    static #abort(signal, reason) {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason === undefined ? aborted('This operation was aborted', 'AbortError') : reason;
      for (const follower of signal.#followers.splice(0)) AbortSignal.#abort(follower, signal.#reason);
      signal.dispatchEvent(new Event('abort'));
    }
    static { internal.abort = AbortSignal.#abort; }

    static abort(reason) {
      const signal = new AbortSignal(create);
      AbortSignal.#abort(signal, reason);
      return signal;
    }
    static timeout(ms) {
      const signal = new AbortSignal(create);
      internal.after(ms, () => AbortSignal.#abort(signal, aborted('The operation was aborted due to timeout', 'TimeoutError')));
      return signal;
    }
    static any(signals) {
      const all = [...signals];
      const signal = new AbortSignal(create);
      const done = all.find((s) => s.aborted);
      if (done) AbortSignal.#abort(signal, done.reason);
      else for (const s of all) s.#followers.push(signal);
      return signal;
    }
  }

  class AbortController {
    #signal = new AbortSignal(create);
    get signal() { return this.#signal; }
    abort(reason) { internal.abort(this.#signal, reason); }
  }

  internal.views.set(AbortSignal, (signal) => [`aborted: ${signal.aborted}`]);
  internal.views.set(AbortController, (controller, seen) => [`signal: ${internal.inner(controller.signal, seen)}`]);
  for (const type of [AbortSignal, AbortController]) internal.define(type.name, internal.tag(type));
}
