// structuredClone.
(host, internal) => {
  'use strict';

  const { uncurry, getter } = internal;
  const refuse = (what) => {
    throw new DOMException(`${what} could not be cloned.`, 'DataCloneError');
  };
  const errorTypes = new Map(
    [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((type) => [type.name, type]));
  const dateValue = uncurry(Date.prototype.getTime);
  const typedName = getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);

  const cloneError = (value) => {
    const type = errorTypes.get(value.name) ?? Error;
    return new type(value.message);
  };

  // view clones an array over a buffer; two views of one buffer share its clone.
  const view = (value, clone) => {
    const buffer = clone(value.buffer);
    if (value instanceof DataView) return new DataView(buffer, value.byteOffset, value.byteLength);
    return new globalThis[typedName(value)](buffer, value.byteOffset, value.length);
  };

  // shells create the clone of an object before its parts are cloned, so that a
  // part can refer to the object.
  const shells = {
    Boolean: (value) => Object(Boolean.prototype.valueOf.call(value)),
    Number: (value) => Object(Number.prototype.valueOf.call(value)),
    String: (value) => Object(String.prototype.valueOf.call(value)),
    BigInt: (value) => Object(BigInt.prototype.valueOf.call(value)),
    Date: (value) => new Date(dateValue(value)),
    RegExp: (value) => new RegExp(value.source, value.flags),
    ArrayBuffer: (value) => value.slice(),
    Map: () => new Map(),
    Set: () => new Set(),
    Array: (value) => new Array(value.length),
    Object: (value) => (value instanceof Blob ? value.slice(0, value.size, value.type) : {}),
    Error: cloneError,
  };

  const fill = (kind, value, copy, clone) => {
    if (kind === 'Map') {
      for (const [k, v] of [...Map.prototype.entries.call(value)]) copy.set(clone(k), clone(v));
    } else if (kind === 'Set') {
      for (const v of [...Set.prototype.values.call(value)]) copy.add(clone(v));
    } else if (kind === 'Array' || kind === 'Object') {
      for (const key of Object.keys(value)) { // defined, as assigning to __proto__ is no property
        Object.defineProperty(copy, key, { value: clone(value[key]), writable: true, enumerable: true, configurable: true });
      }
    } else if (kind === 'Error' && 'cause' in value) {
      Object.defineProperty(copy, 'cause', { value: clone(value.cause), writable: true, enumerable: false, configurable: true });
    }
  };

  // cloner clones values. The contents of objects wait in a list, because a value
  // may be nested deeper than the stack allows.
  const cloner = (seen, waiting) => function clone(value) {
    if (typeof value === 'function' || typeof value === 'symbol') refuse(internal.inspect(value, 0));
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const kind = host.className(value);
    const make = ArrayBuffer.isView(value) ? (v) => view(v, clone) : shells[kind];
    if (!make) refuse(internal.inspect(value, 0));
    const copy = make(value);
    seen.set(value, copy);
    waiting.push([kind, value, copy]);
    return copy;
  };

  internal.define('structuredClone', function structuredClone(value, options) {
    const seen = new Map();
    for (const buffer of options?.transfer ?? []) {
      if (!(buffer instanceof ArrayBuffer)) refuse('A value of the transfer list');
      seen.set(buffer, buffer.transfer());
    }
    const waiting = [];
    const clone = cloner(seen, waiting);
    const copy = clone(value);
    while (waiting.length > 0) {
      const [kind, from, to] = waiting.pop();
      fill(kind, from, to, clone);
    }
    return copy;
  });
}
