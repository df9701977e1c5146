// The object Intl, and what its constructors have in common.
(host, internal) => {
  'use strict';

  const { parse, stringify, define, uncurry } = internal;
  const { defineProperty } = Object;
  const get = uncurry(WeakMap.prototype.get);
  const set = uncurry(WeakMap.prototype.set);

  const Intl = {};
  const hidden = (object, name, value) => defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });
  defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });
  hidden(Intl, 'getCanonicalLocales', { getCanonicalLocales(locales) { return internal.canonicalLocales(locales); } }.getCanonicalLocales);

  // resolved asks the host for what it makes of settings, and throws if it refuses them.
  internal.resolvedBy = (settings) => {
    const answer = parse(host.resolveFormat(settings));
    if (answer.error !== undefined) throw new RangeError(answer.error);
    return answer;
  };

  // formatted is a text that the host makes. It refuses what is too long.
  const checked = (text, what) => {
    if (text === undefined) throw new RangeError(`${what} is too long to be formatted`);
    return text;
  };
  internal.formatted = (settings, value, what = 'the number') => checked(host.formatText(settings, value), what);
  internal.partsOf = (settings, value, what = 'the number') => parse(checked(host.formatParts(settings, value), what));

  // measured gives a function the length of call without its state.
  const measured = (made, call) => defineProperty(made, 'length', { value: call.length - 1, configurable: true });

  // constructor adds a constructor to Intl. create(locales, options) returns the state
  // of an object: settings, the text for the host, and shown, its resolvedOptions.
  internal.constructor402 = (name, create, { callable = false, methods, getters = {} }) => {
    const states = new WeakMap();
    const stateOf = (object, method) => {
      const state = typeof object === 'object' && object !== null ? get(states, object) : undefined;
      if (state === undefined) throw new TypeError(`Method Intl.${name}.prototype.${method} called on incompatible receiver ${internal.inspect(object, 0)}`);
      return state;
    };
    const { [name]: type } = {
      [name]: function (locales, options) {
        const made = new.target === undefined ? Object.create(type.prototype) : this;
        if (new.target === undefined && !callable) throw new TypeError(`Constructor Intl.${name} requires 'new'`);
        set(states, made, create(locales, options));
        return made;
      },
    };
    defineProperty(type, 'length', { value: 0, configurable: true });
    defineProperty(type, 'prototype', { writable: false });
    hidden(type.prototype, 'constructor', type);
    defineProperty(type.prototype, Symbol.toStringTag, { value: `Intl.${name}`, configurable: true });
    hidden(type, 'supportedLocalesOf', { supportedLocalesOf(locales, options) { return internal.supportedLocales(locales, options); } }.supportedLocalesOf);
    const all = { ...methods, resolvedOptions: (state) => ({ ...state.shown }) };
    for (const method of Object.keys(all)) {
      const call = all[method];
      const { [method]: made } = { [method](...given) { return call(stateOf(this, method), ...given); } };
      hidden(type.prototype, method, measured(made, call));
    }
    for (const method of Object.keys(getters)) {
      const call = getters[method];
      defineProperty(type.prototype, method, {
        enumerable: false,
        configurable: true,
        get() {
          const state = stateOf(this, method);
          state[method] ??= measured((...given) => call(state, ...given), call);
          return state[method];
        },
      });
    }
    hidden(Intl, name, type);
    return type;
  };

  // settingsFor creates the settings of a method such as toLocaleString. Scripts call it
  // with the same options for each row, so the last ones are kept, if they are plain.
  const kept = new Map();
  const mostKept = 64;
  internal.settingsFor = (kind, locales, options, create) => {
    const key = keyOf(kind, locales, options);
    if (key === undefined) return create(locales, options).settings;
    let settings = kept.get(key);
    if (settings === undefined) {
      settings = create(locales, options).settings;
      if (kept.size === mostKept) kept.clear();
      kept.set(key, settings);
    }
    return settings;
  };

  const keyOf = (kind, locales, options) => {
    if (locales !== undefined && typeof locales !== 'string') return undefined;
    let key = `${kind}\n${locales}`;
    if (options === undefined) return key;
    if (typeof options !== 'object' || options === null || internal.prototypeOf(options) !== Object.prototype) return undefined;
    for (const name of internal.ownKeys(options)) {
      const { value } = internal.descriptor(options, name);
      if (!['string', 'number', 'boolean'].includes(typeof value) || typeof name !== 'string') return undefined;
      key += `\n${name} ${typeof value} ${value}`;
    }
    return key;
  };

  // stateFor creates the state of an object from the options that the host reads.
  internal.stateFor = (kind, locale, options, shown) => ({ settings: stringify({ kind, locale, options }), shown });

  delete globalThis.Intl;
  define('Intl', Intl);
}
