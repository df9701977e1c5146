// The JSON forms of Map, Set and errors. JSON.stringify would print them as {}.
(host, internal) => {
  'use strict';

  const { uncurry, descriptor } = internal;
  const { assign, fromEntries, getPrototypeOf, prototype: common } = Object;
  const { isArray } = Array;
  const eachOfMap = uncurry(Map.prototype.forEach);
  const eachOfSet = uncurry(Set.prototype.forEach);

  // ofError has the name and message of an error, its causes, and the members that
  // JSON.stringify prints, such as the code of a ToolError.
  const ofError = (error) => {
    const form = { name: internal.errorName(error), message: internal.errorMessage(error) };
    for (const key of ['cause', 'errors']) {
      const own = descriptor(error, key);
      if (own !== undefined && 'value' in own && own.value !== undefined) form[key] = own.value;
    }
    return assign(form, error, { name: form.name, message: form.message });
  };

  // plain returns an object for a Map with string keys and for an error, a list of pairs
  // for any other Map, and a list for a Set. It returns every other value unchanged.
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
      if (value instanceof Error || value instanceof DOMException) return ofError(value);
    } catch { /* an object that only inherits from one of them */ }
    return value;
  };
  internal.plainMember = (key, value) => internal.plain(value);
}
