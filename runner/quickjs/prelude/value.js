// The value of a script as JSON.
(host, internal) => {
  'use strict';

  const { apply, stringify, plain, prototypeOf, isPromise, Unsettled } = internal;
  const { isArray } = Array;
  const { keys, getOwnPropertySymbols: symbols } = Object;

  class InvalidResultError extends TypeError {}
  Object.defineProperty(InvalidResultError.prototype, 'name', { value: 'InvalidResultError' });
  internal.InvalidResultError = InvalidResultError;

  // overflowed reports whether an error is the engine's error for a stack overflow.
  internal.overflowed = (error) => error instanceof RangeError && error.message === 'Maximum call stack size exceeded';

  const names = { function: 'a function', symbol: 'a symbol' };

  // lost are the places of values that JSON shows as null or {}.
  let lost = [];

  // open are the objects that JSON is inside of, from the outermost on, with their keys.
  let open = [];
  const within = (holder) => {
    while (open.length > 0 && open[open.length - 1].form !== holder) open.pop();
  };
  const placeOf = (holder, key) => {
    within(holder);
    let [path, parent] = ['', undefined];
    for (const { form, key: name } of [...open, { key }]) {
      if (parent !== undefined) path += internal.step(name, isArray(parent));
      parent = form;
    }
    path = path.replace(/^\./, '');
    return path.length > 200 ? `${path.slice(0, 100)}…${path.slice(-100)}` : path;
  };
  const lose = (holder, key, what, form) => lost.push([lost.length === 0 ? placeOf(holder, key) : '', what, form]);

  // shown returns the form of an object, and reports one of which JSON shows nothing.
  const boxes = new Set(['Number', 'Boolean', 'String', 'BigInt']);
  const shown = (holder, key, value) => {
    const form = plain(value);
    if (form === null) return form;
    within(holder);
    if (form === value && !isArray(value) && isPromise(value)) return settled(holder, key, value);
    if (form === value && !isArray(value) && keys(value).length === 0 && !boxes.has(host.className(value))) {
      if (internal.isAsyncIterable(value)) return listed(holder, key, value);
      const parent = prototypeOf(value);
      const bare = parent === Object.prototype || parent === null;
      if (bare && symbols(value).length > 0) lose(holder, key, 'an object whose members have symbols as names', '{}');
      else if (!bare) lose(holder, key, article(internal.className(value) ?? 'Object'), '{}');
    }
    open.push({ form, key });
    return form;
  };
  const article = (name) => (/^[AEIOU]/.test(name) ? `an ${name}` : `a ${name}`);

  // settled is the form of the value of a promise.
  const settled = (holder, key, promise) => {
    if (host.promiseState(promise) !== 1) throw new Unsettled(promise);
    return apply(refuse, holder, [key, host.promiseResult(promise)]);
  };

  // listed is the form of the items of an async iterator.
  const listed = (holder, key, iterable) => {
    const list = internal.listed(iterable);
    if (!isArray(list)) throw new Unsettled(list);
    return shown(holder, key, list);
  };

  // promisesIn returns the promises in a value that are not fulfilled. read says whether to
  // read iterators.
  const promisesIn = (root, read) => {
    const [found, waiting, seen] = [[], [root], new Set()];
    while (waiting.length > 0) {
      let value = waiting.pop();
      if (isPromise(value)) {
        if (host.promiseState(value) !== 1) {
          found.push(value);
          continue;
        }
        value = host.promiseResult(value);
      }
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      seen.add(value);
      if (read || !internal.isIterator(value)) internal.eachIn(value, (inner) => waiting.push(inner));
    }
    return found;
  };
  internal.pendingIn = (value) => promisesIn(value, false).length > 0;

  // refuse is a replacer for JSON.stringify, which would silently omit functions
  // and symbols. It is called for every value, and a list may have a million.
  const refuse = function (key, value) {
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'bigint':
        return value;
      case 'object':
        return shown(this, key, value);
      case 'number':
        if (value - value !== 0) lose(this, key, value, 'null'); // not finite
        return value;
      case 'undefined':
        if (isArray(this)) lose(this, key, value, 'null');
        return value;
    }
    const place = placeOf(this, key);
    const where = place === '' ? 'is' : `holds, at ${stringify(place)},`;
    throw new InvalidResultError(`the script's value ${where} ${names[typeof value]}, which JSON cannot hold`);
  };

  // refuseIn does the same for values that are nested deeper than V8 calls a
  // replacer. It does not enter objects with toJSON.
  const refuseIn = (root) => {
    [lost, open] = [[], []];
    const waiting = [['', root, undefined]];
    const seen = new Set();
    while (waiting.length > 0) {
      const [key, value, holder] = waiting.pop();
      internal.apply(refuse, holder, [key, value]);
      if (typeof value !== 'object' || value === null || typeof value.toJSON === 'function' || seen.has(value)) continue;
      seen.add(value);
      if (plain(value) !== value || isPromise(value)) throw new InvalidResultError('the value of the script nests a Map, a Set or an error too deep to be passed on');
      for (const name of Object.keys(value)) waiting.push([name, value[name], value]);
    }
  };

  // show returns the value as JSON.
  const show = (value) => {
    [lost, open] = [[], []];
    try {
      return stringify(value, refuse);
    } catch (error) {
      if (!internal.overflowed(error)) throw error;
    }
    refuseIn(value);
    try {
      return stringify(value);
    } catch (error) {
      if (!internal.overflowed(error)) throw error;
      throw new InvalidResultError('the value of the script nests too deep to be passed on');
    }
  };

  // warn reports the parts of the value that JSON cannot express.
  const warn = () => {
    if (lost.length === 0) return;
    const [place, value, form] = lost[0];
    const where = place === '' ? 'is' : `holds, at ${stringify(place)},`;
    const more = lost.length === 1 ? '' : ` (and ${lost.length - 1} more)`;
    host.write(1, `Warning: the script's value ${where} ${value}${more}, which JSON shows as ${form}\n`);
  };

  const firstLine = (error) => error.message.split('\n', 1)[0];

  // call calls the function that a module exports as default with the parameter of the
  // run, if it has one. The value of the function then stands for the exported one.
  internal.call = async (namespace) => {
    const exported = namespace.default;
    return { default: typeof exported === 'function' ? await apply(exported, undefined, internal.given) : exported };
  };

  internal.finish = async (namespace) => {
    const value = await namespace.default;
    if (value === undefined || host.json?.(value) === 1) return undefined; // the engine has it
    for (;;) {
      try {
        const text = show(value);
        warn();
        return text;
      } catch (error) {
        if (error instanceof TypeError && firstLine(error) === internal.circular) {
          throw new InvalidResultError("the script's value holds itself, which JSON cannot show");
        }
        if (!(error instanceof Unsettled)) throw error;
        await Promise.all([error.promise, ...promisesIn(value, true)]);
      }
    }
  };

  const circle = {};
  circle.circle = circle;
  try {
    stringify(circle);
  } catch (error) {
    internal.circular = firstLine(error); // the message of the engine for such a value; V8 appends its members
  }
}
