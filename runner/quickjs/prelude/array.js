// Array.fromAsync. That of the engine does not wait for return() of the iterator when the
// mapping function throws.
(host, internal) => {
  'use strict';

  const { apply } = internal;
  const { fromAsync: native } = Array;

  // mapped reads an iterator and closes it, as the language does, if the mapping function throws.
  async function* mapped(iterator, map, self) {
    const next = iterator.next;
    for (let i = 0; ; i++) {
      const { value, done } = await apply(next, iterator, []);
      if (done) return;
      try {
        yield await apply(map, self, [await value, i]);
      } catch (error) {
        try {
          await iterator.return?.();
        } catch { /* the first error counts */ }
        throw error;
      }
    }
  }

  const { fromAsync } = { fromAsync(items, map, self) {
    const iterate = typeof map === 'function' ? items?.[Symbol.asyncIterator] ?? items?.[Symbol.iterator] : undefined;
    if (typeof iterate !== 'function') return apply(native, this, [items, map, self]);
    return apply(native, this, [mapped(apply(iterate, items, []), map, self)]);
  } };
  Object.defineProperty(fromAsync, 'length', { value: 1, configurable: true });
  Object.defineProperty(Array, 'fromAsync', { value: fromAsync, writable: true, configurable: true });
}
