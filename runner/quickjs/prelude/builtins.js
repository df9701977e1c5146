// How inspect shows built-in objects of the language.
(host, internal) => {
  'use strict';

  const { special, prefix, show, inner, items, more, mostItems, getter, uncurry, isIndex } = internal;
  const mapSize = getter(Map.prototype, 'size');
  const setSize = getter(Set.prototype, 'size');
  const mapEntries = uncurry(Map.prototype.entries);
  const setValues = uncurry(Set.prototype.values);
  const isoDate = uncurry(Date.prototype.toISOString);
  const dateValue = uncurry(Date.prototype.getTime);
  const expression = uncurry(RegExp.prototype.toString);
  const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');

  const limited = (iterator, size, each) => {
    const entries = [];
    for (const entry of iterator) {
      if (entries.length === mostItems) {
        entries.push(more(size - mostItems));
        break;
      }
      entries.push(each(entry));
    }
    return entries;
  };

  special.set('Map', (value, seen) => ({
    prefix: prefix(value, 'Map', mapSize(value)),
    entries: limited(mapEntries(value), mapSize(value), ([k, v]) => `${inner(k, seen)} => ${inner(v, seen)}`),
  }));
  special.set('Set', (value, seen) => ({
    prefix: prefix(value, 'Set', setSize(value)),
    entries: limited(setValues(value), setSize(value), (v) => inner(v, seen)),
  }));
  for (const name of ['WeakMap', 'WeakSet']) {
    special.set(name, (value) => ({ prefix: prefix(value, ''), entries: ['<items unknown>'] }));
  }
  special.set('WeakRef', (value, seen) => ({ prefix: prefix(value, ''), entries: [inner(value.deref(), seen)] }));

  special.set('Date', (value) => ({ base: Number.isNaN(dateValue(value)) ? 'Invalid Date' : isoDate(value) }));
  special.set('RegExp', (value) => ({ base: expression(value), skip: (key) => key === 'lastIndex' }));

  for (const type of [Number, String, Boolean, BigInt, Symbol]) {
    const valueOf = uncurry(type.prototype.valueOf);
    special.set(type.name, (value, seen) => ({
      base: `[${type.name}: ${show(valueOf(value), seen)}]`, skip: (key) => type === String && (isIndex(key) || key === 'length'),
    }));
  }

  special.set('Promise', (value, seen) => {
    const state = host.promiseState(value);
    if (state === 0) return { prefix: prefix(value, ''), entries: ['<pending>'] };
    const shown = inner(host.promiseResult(value), seen);
    return { prefix: prefix(value, ''), entries: [state === 2 ? `<rejected> ${shown}` : shown] };
  });

  const hex = (bytes) => {
    const shown = Array.from(bytes.subarray(0, 50), (b) => b.toString(16).padStart(2, '0')).join(' ');
    return bytes.length > 50 ? `${shown} ... ${bytes.length - 50} more byte${bytes.length > 51 ? 's' : ''}` : shown;
  };
  special.set('ArrayBuffer', (value) => ({
    prefix: prefix(value, ''),
    entries: [`[Uint8Contents]: <${hex(new Uint8Array(value))}>`, `byteLength: ${bufferLength(value)}`],
  }));
  special.set('DataView', (value, seen) => ({
    prefix: prefix(value, ''),
    entries: [`byteLength: ${value.byteLength}`, `byteOffset: ${value.byteOffset}`, `buffer: ${inner(value.buffer, seen)}`],
  }));

  const typedArray = (value, seen) => ({
    prefix: prefix(value, '', value.length), open: '[', close: ']', entries: items(value, seen), skip: isIndex, list: value,
  });
  for (const name of Object.getOwnPropertyNames(globalThis).filter((n) => /^(Big)?(Ui|I)nt\d+(Clamped)?Array$|^Float\d+Array$/.test(n))) {
    special.set(name, typedArray);
  }

  special.set('Arguments', () => ({ prefix: '[Arguments] ' }));
}
