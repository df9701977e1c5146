// The JSON forms of objects that JSON.stringify would print as {}, or as an object with
// numbers as names.
(host, internal) => {
  'use strict';

  const { uncurry, descriptor, getter } = internal;
  const { assign, fromEntries, getPrototypeOf, prototype: common } = Object;
  const { isArray, from } = Array;
  const { isView } = ArrayBuffer;
  const eachOfMap = uncurry(Map.prototype.forEach);
  const eachOfSet = uncurry(Set.prototype.forEach);
  const expression = uncurry(RegExp.prototype.toString);
  const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
  const most = 1e6; // items of an iterator

  // ofError has the name and message of an error, its code, the errors in it, and the members
  // that JSON.stringify prints, such as those of a ToolError.
  internal.innerErrors = ['cause', 'errors', 'error', 'suppressed'];
  const ofError = (error) => {
    const form = { name: internal.errorName(error), message: internal.errorMessage(error) };
    const { code } = error;
    if (typeof code === 'string' || (typeof code === 'number' && !(error instanceof DOMException))) form.code = code;
    for (const key of internal.innerErrors) {
      const own = descriptor(error, key);
      if (own !== undefined && 'value' in own && own.value !== undefined) form[key] = own.value;
    }
    return assign(form, error, { name: form.name, message: form.message });
  };

  // bytesOf returns the numbers of a typed array, or the bytes of a buffer.
  const bytesOf = (value) => {
    if (!isView(value)) return from(new Uint8Array(value, 0, bufferLength(value)));
    return from(value instanceof DataView ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : value);
  };

  // ofIterator reads an iterator. It remembers the list, because an iterator is read once.
  const lists = new WeakMap();
  const ofIterator = (iterator) => {
    let list = lists.get(iterator);
    if (list !== undefined) return list;
    list = [];
    for (const item of iterator) {
      if (list.push(item) > most) throw new internal.InvalidResultError(`an iterator has more than ${most} items: take(n) returns the first of them`);
    }
    lists.set(iterator, list);
    return list;
  };

  // listed returns the list of an async iterator, or the promise of it.
  const asyncLists = new WeakMap();
  const asyncSteps = Symbol.asyncIterator;
  internal.isAsyncIterable = (value) => typeof value[asyncSteps] === 'function';
  internal.listed = (iterable) => {
    const known = asyncLists.get(iterable);
    if (known !== undefined) return known;
    const read = async () => {
      const list = [];
      for await (const item of iterable) {
        if (list.push(item) > most) throw new internal.InvalidResultError(`an async iterator has more than ${most} items: end the loop that yields them`);
      }
      asyncLists.set(iterable, list);
    };
    const reading = read();
    asyncLists.set(iterable, reading);
    return reading;
  };

  internal.isIterator = (value) => value instanceof Iterator && typeof value.next === 'function';
  internal.isPromise = (value) => value instanceof Promise && host.promiseState(value) >= 0;

  // known returns the form of an object of a class that it knows, and every other value unchanged.
  const known = (value) => {
    if (value instanceof Map) {
      const list = [];
      let named = true;
      eachOfMap(value, (item, key) => {
        named &&= typeof key === 'string';
        list.push([key, item]);
      });
      return named ? fromEntries(list) : list;
    }
    if (value instanceof Set) {
      const list = [];
      eachOfSet(value, (item) => list.push(item));
      return list;
    }
    if (value instanceof Error || value instanceof DOMException) return ofError(value);
    if (isView(value) || value instanceof ArrayBuffer) return bytesOf(value);
    if (value instanceof RegExp) return expression(value);
    if (value instanceof URLSearchParams) return `${value}`;
    return value;
  };

  // plain returns an object for a Map with string keys and for an error, a list of pairs
  // for any other Map, a list for a Set, for bytes and for an iterator, and a text for a RegExp
  // and for URLSearchParams. It returns every other value unchanged.
  internal.plain = (value) => {
    if (typeof value !== 'object' || value === null || isArray(value)) return value;
    try {
      if (getPrototypeOf(value) === common) return value;
      const form = known(value);
      if (form !== value) return form;
    } catch { return value; /* an object that only inherits from one of them */ }
    return internal.isIterator(value) ? ofIterator(value) : value;
  };

  // plainMember is plain for the arguments of a tool, which cannot hold a promise.
  internal.plainMember = (key, value) => {
    const form = internal.plain(value);
    if (form === value && typeof value === 'object' && internal.isPromise(value)) throw new Unsettled(value);
    return form;
  };

  // Unsettled says that JSON was asked of a promise.
  class Unsettled extends Error {
    constructor(promise) {
      super();
      this.promise = promise;
    }
  }
  internal.Unsettled = Unsettled;

  // argumentsText returns the arguments of a tool as JSON.
  internal.argumentsText = (args) => {
    try {
      return internal.stringify(args, internal.plainMember);
    } catch (error) {
      if (!(error instanceof Unsettled)) throw error;
      throw new TypeError(`the arguments hold a promise${placeOf(args, error.promise)}: await it first`);
    }
  };

  // eachIn calls visit with the objects in a value that JSON shows, and with their keys.
  internal.eachIn = (value, visit) => {
    const form = internal.plain(value);
    if (typeof form !== 'object' || form === null || typeof form.toJSON === 'function') return;
    for (const key of Object.keys(form)) {
      const inner = form[key];
      if (typeof inner === 'object' && inner !== null) visit(inner, key, isArray(form));
    }
  };

  const step = internal.step = (key, listed) => (listed ? `[${key}]` : /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `.${key}` : `[${internal.stringify(key)}]`);
  const placeOf = (root, promise) => {
    const [waiting, seen] = [[['', root]], new Set()];
    while (waiting.length > 0) {
      const [path, value] = waiting.pop();
      if (value === promise) return path === '' ? '' : ` at ${path.replace(/^\./, '')}`;
      if (typeof value !== 'object' || value === null || seen.has(value)) continue; // the root may be none
      seen.add(value);
      internal.eachIn(value, (inner, key, listed) => waiting.push([path + step(key, listed), inner]));
    }
    return '';
  };
}
