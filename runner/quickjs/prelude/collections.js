// The JSON forms of Map and Set. JSON.stringify would print both as {}.
(host, internal) => {
  'use strict';

  const { uncurry } = internal;
  const { fromEntries, getPrototypeOf, prototype: common } = Object;
  const { isArray } = Array;
  const eachOfMap = uncurry(Map.prototype.forEach);
  const eachOfSet = uncurry(Set.prototype.forEach);

  // plain returns an object for a Map with string keys, a list of pairs for any
  // other Map, and a list for a Set. It returns every other value unchanged.
  internal.plain = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    try {
      if (isArray(value) || getPrototypeOf(value) === common) return value;
      const list = [];
      if (value instanceof Map) {
        let named = true;
        eachOfMap(value, (item, key) => {
          named &&= typeof key === 'string';
          list.push([key, item]);
        });
        return named ? fromEntries(list) : list;
      }
      if (value instanceof Set) {
        eachOfSet(value, (item) => list.push(item));
        return list;
      }
    } catch { /* an object that only inherits from one of them */ }
    return value;
  };
  internal.plainMember = (key, value) => internal.plain(value);
}
