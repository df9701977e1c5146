// The last part of the prelude. It removes functions that evaluate text as code, and
// freezes every object that a script can reach, so that a script cannot change the
// behaviour of other code.
(host, internal) => {
  'use strict';

  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  const { timing } = internal;
  const FunctionPrototype = Function.prototype;
  const kinds = [FunctionPrototype, (async () => {}), function* () {}, async function* () {}]
    .map((f) => (f === FunctionPrototype ? f : getPrototypeOf(f)));

  // Deleting eval and Function is not enough: every function leads to the
  // constructor of its kind.
  for (const prototype of kinds) {
    const refuse = function () {
      throw new TypeError('dynamic code evaluation is disabled');
    };
    defineProperty(prototype, 'constructor', { value: refuse, writable: false, configurable: false });
  }
  for (const name of ['eval', 'Function', 'SharedArrayBuffer']) delete globalThis[name];
  // Both are accessors that still work on a frozen object, and could forge every
  // stack trace. An engine that needs them sets internal.forging to [] and freezes them.
  for (const name of internal.forging ?? ['prepareStackTrace', 'stackTraceLimit']) delete Error[name];

  const reached = new Set();
  const queue = [];
  const reach = (value) => {
    const reachable = (typeof value === 'object' && value !== null) || typeof value === 'function';
    if (!reachable || reached.has(value)) return;
    reached.add(value);
    queue.push(value);
  };
  reach(globalThis);
  kinds.forEach(reach);
  // Objects that only the module "toolscript" exports, or that only errors lead to.
  for (const value of [internal.store, internal.stdin, internal.env, internal.cwd, internal.exit, internal.ToolError, internal.InvalidResultError, internal.Lines]) {
    reach(value);
  }
  // Objects without a global name.
  for (const iterator of [[][Symbol.iterator](), new Map().entries(), new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g)]) {
    reach(getPrototypeOf(iterator));
  }
  reach(getPrototypeOf(Uint8Array));
  while (queue.length > 0) {
    const value = queue.pop();
    reach(getPrototypeOf(value));
    for (const key of ownKeys(value)) {
      const own = getOwnPropertyDescriptor(value, key);
      reach(own.value);
      reach(own.get);
      reach(own.set);
    }
  }

  // Assigning to a property of a frozen prototype fails even if the assignment
  // would create an own property, such as this.name in a class that extends Error.
  // As accessors, these properties accept such assignments. seen is called with an object
  // whose property is read while a timer is set.
  const overridable = (o, keys, seen) => {
    for (const key of keys) {
      const own = getOwnPropertyDescriptor(o, key);
      if (!own || !('value' in own) || !own.configurable) continue;
      const { value } = own;
      defineProperty(o, key, {
        enumerable: own.enumerable,
        configurable: false,
        get: seen === undefined ? function get() { return value; } : function get() {
          if (timing.strong > 0) seen(this);
          return value;
        },
        set(given) {
          if (this === o) throw new TypeError(`'${String(key)}' is read-only`);
          defineProperty(this, key, { value: given, writable: true, enumerable: true, configurable: true });
        },
      });
    }
  };
  overridable(Object.prototype, ['toString', 'valueOf', 'toLocaleString', 'constructor', 'hasOwnProperty']);
  for (const type of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError, InternalError]) {
    overridable(type.prototype, ['name', 'message', 'constructor', 'toString']);
  }
  overridable(FunctionPrototype, ['toString', 'name']);
  overridable(Array.prototype, ['toString', 'constructor']);
  overridable(Promise.prototype, ['then']);
  overridable(Promise.prototype, ['constructor'], internal.awaited);

  for (const value of reached) Object.freeze(value);
}
