// classes determines the class of a value with checks that a script cannot influence.
(host, internal) => {
  'use strict';

  // Deno replaces an error without frames that ends a module: that of Promise.any has those of
  // the call.
  const { any } = Promise;
  const { then } = Promise.prototype;
  Object.defineProperty(Promise, 'any', { writable: true, configurable: true, value: { any(promises) {
    const at = new Error();
    return internal.apply(then, internal.apply(any, this, [promises]), [undefined, (error) => {
      if (!(error instanceof AggregateError) || internal.frames(error) !== '') throw error;
      const made = new AggregateError(error.errors, error.message);
      internal.setFrames(made, internal.frames(at));
      throw made;
    }]);
  } }.any });

  const { apply, uncurry, getter, prototypeOf } = internal;
  const { isArray } = Array;
  const { isError } = Error;
  const { defineProperty } = Object;
  const tag = uncurry(Object.prototype.toString);
  // Deno.inspect would call Deno.customInspect of the script, with functions of
  // Deno. The core function only reads: it returns [state, result], and throws for
  // values that are not promises.
  const promiseDetails = Deno[Deno.internal]?.core?.getPromiseDetails;
  const typedName = getter(prototypeOf(Uint8Array.prototype), Symbol.toStringTag);

  // Only the creator of a proxy knows that it is a proxy, and its target.
  const targets = new WeakMap();
  const Native = Proxy;
  const wrapped = function Proxy(target, handler) {
    if (new.target === undefined) throw new TypeError("Constructor Proxy requires 'new'");
    const made = new Native(target, handler);
    targets.set(made, target);
    return made;
  };
  const revocable = (target, handler) => {
    const made = Native.revocable(target, handler);
    targets.set(made.proxy, target);
    return {
      proxy: made.proxy,
      revoke() {
        made.revoke();
        targets.set(made.proxy, null);
      },
    };
  };
  defineProperty(wrapped, 'prototype', { value: undefined });
  defineProperty(wrapped, 'revocable', { value: revocable, writable: true, configurable: true });
  defineProperty(wrapped, 'length', { value: 2, configurable: true });
  internal.define('Proxy', wrapped);
  host.proxyTarget = (proxy) => targets.get(proxy);

  const checks = [
    ['Map', getter(Map.prototype, 'size')],
    ['Set', getter(Set.prototype, 'size')],
    ['Date', uncurry(Date.prototype.getTime)],
    ['RegExp', uncurry(RegExp.prototype.toString), (value) => prototypeOf(value) === RegExp.prototype || tag(value) === '[object RegExp]'],
    ['ArrayBuffer', getter(ArrayBuffer.prototype, 'byteLength')],
    ['DataView', getter(DataView.prototype, 'byteLength')],
    ['WeakMap', (value) => apply(WeakMap.prototype.has, value, [value])],
    ['WeakSet', (value) => apply(WeakSet.prototype.has, value, [value])],
    ['WeakRef', uncurry(WeakRef.prototype.deref)],
    ...[Number, String, Boolean, BigInt, Symbol].map((type) => [type.name, uncurry(type.prototype.valueOf)]),
  ].map(([name, method, also]) => [name, method, also ?? (() => true)]);

  const detailsOf = (value) => {
    try {
      return promiseDetails(value);
    } catch { return undefined; } // no promise, or a Deno without the function
  };
  const isPromise = (value) => detailsOf(value) !== undefined;

  const classOf = (value) => {
    if (targets.has(value)) return 'Proxy';
    const parent = prototypeOf(value);
    if (parent === Object.prototype && tag(value) === '[object Object]') return 'Object';
    if (typeof value === 'function') return tag(value).slice(8, -1);
    if (isArray(value)) return 'Array';
    if (isError(value)) return value instanceof DOMException ? 'DOMException' : 'Error';
    if (parent === null && tag(value) === '[object Object]') return 'Object';
    const typed = typedName(value);
    if (typed !== undefined) return typed;
    if (isPromise(value)) return 'Promise';
    for (const [name, method, also] of checks) {
      try {
        if (!also(value)) continue;
        method(value);
        return name;
      } catch { /* not of this class */ }
    }
    return tag(value) === '[object Arguments]' ? 'Arguments' : 'Object';
  };
  host.className = classOf;
  host.promiseState = (value) => (promiseDetails === undefined ? 0 : detailsOf(value)?.[0] ?? -1);
  host.promiseResult = (promise) => detailsOf(promise)?.[1];
}
