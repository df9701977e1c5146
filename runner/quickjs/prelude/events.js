// Event and EventTarget, without bubbling.
(host, internal) => {
  'use strict';

  class Event {
    #type;
    #cancelable;
    #canceled = false;
    #stopped = false;
    #started = host.now();
    target = null;
    currentTarget = null;

    constructor(type, init = {}) {
      this.#type = `${type}`;
      this.#cancelable = Boolean(init?.cancelable);
    }
    get type() { return this.#type; }
    get cancelable() { return this.#cancelable; }
    get defaultPrevented() { return this.#canceled; }
    get timeStamp() { return this.#started; }
    preventDefault() { this.#canceled = this.#cancelable; }
    stopImmediatePropagation() { this.#stopped = true; }
    stopPropagation() {}
    static { internal.isStopped = (event) => event.#stopped; }
  }

  class CustomEvent extends Event {
    #detail;
    constructor(type, init = {}) {
      super(type, init);
      this.#detail = init?.detail ?? null;
    }
    get detail() { return this.#detail; }
  }

  class EventTarget {
    #listeners = new Map();

    addEventListener(type, callback, options) {
      if (callback === null || callback === undefined) return;
      const { once = false, signal } = typeof options === 'object' && options !== null ? options : {};
      if (signal?.aborted) return;
      const list = this.#listeners.get(`${type}`) ?? [];
      if (list.some((l) => l.callback === callback)) return;
      this.#listeners.set(`${type}`, [...list, { callback, once }]);
      signal?.addEventListener('abort', () => this.removeEventListener(type, callback), { once: true });
    }

    removeEventListener(type, callback) {
      const list = this.#listeners.get(`${type}`) ?? [];
      this.#listeners.set(`${type}`, list.filter((l) => l.callback !== callback));
    }

    dispatchEvent(event) {
      event.target = event.currentTarget = this;
      const handler = this[`on${event.type}`];
      if (typeof handler === 'function') internal.apply(handler, this, [event]);
      for (const { callback, once } of this.#listeners.get(event.type) ?? []) {
        if (internal.isStopped(event)) break;
        if (once) this.removeEventListener(event.type, callback);
        if (typeof callback === 'function') internal.apply(callback, this, [event]);
        else callback.handleEvent(event);
      }
      event.currentTarget = null;
      return !event.defaultPrevented;
    }
  }

  for (const type of [Event, CustomEvent, EventTarget]) internal.define(type.name, internal.tag(type));
}
