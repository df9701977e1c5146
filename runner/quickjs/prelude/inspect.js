// inspect shows a value as node's util.inspect does.
(host, internal) => {
  'use strict';

  const { descriptor, prototypeOf, ownKeys, uncurry } = internal;
  const isEnumerable = uncurry(Object.prototype.propertyIsEnumerable);
  const { hasOwn } = Object;
  const toString = uncurry(Object.prototype.toString);
  const sourceOf = uncurry(Function.prototype.toString);
  const lineLength = 80;
  const mostItems = 100;
  const mostCharacters = 10000;
  const levelsInOneLine = 3;

  // lazy holds the objects whose properties are looked up on demand.
  internal.lazy = new WeakSet();

  // special maps the engine's class name of an object to a function that shows its
  // contents: (value, seen, key) → { prefix, open, close, entries, base }. key
  // selects the own properties that are already shown.
  internal.special = new Map();

  // views maps the classes of the prelude to a plain form of their private fields.
  internal.views = new Map();

  const escapes = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };

  const quote = (text) => {
    const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !/[`]|\$\{/.test(text) ? '`' : "'";
    const body = text.replace(/[\x00-\x1f\x7f-\x9f\\'\ud800-\udfff]/gu, (c) => {
      if (c === "'") return mark === "'" ? "\\'" : c;
      if (escapes[c]) return escapes[c];
      const code = c.charCodeAt(0);
      return code < 256 ? `\\x${code.toString(16).toUpperCase().padStart(2, '0')}` : `\\u${code.toString(16)}`;
    });
    return mark + body + mark;
  };

  const string = (text) => {
    if (text.length <= mostCharacters) return quote(text);
    const more = text.length - mostCharacters;
    return `${quote(text.slice(0, mostCharacters))}... ${more} more character${more > 1 ? 's' : ''}`;
  };

  const primitive = (value) => {
    switch (typeof value) {
      case 'string': return string(value);
      case 'number': return Object.is(value, -0) ? '-0' : `${value}`;
      case 'bigint': return `${value}n`;
      case 'symbol': return value.toString();
      default: return `${value}`;
    }
  };

  // className returns the name of the constructor of the nearest prototype that has
  // one, or null.
  const className = (value) => {
    for (let o = value; o !== null; o = prototypeOf(o)) {
      if (!hasOwn(o, 'constructor')) continue;
      const { constructor } = o; // an accessor since the prototypes were frozen
      if (typeof constructor === 'function' && typeof constructor.name === 'string' && constructor.name !== '') {
        return constructor.name;
      }
    }
    return null;
  };

  const tagOf = (value, name) => {
    const tag = value[Symbol.toStringTag];
    if (typeof tag !== 'string' || tag === '' || tag === name || isEnumerable(value, Symbol.toStringTag)) return '';
    return ` [${tag}]`;
  };

  // prefix returns the text before the brace: the class, unless it is Object or
  // Array.
  const prefix = (value, plain, size) => {
    const name = className(value);
    const tag = tagOf(value, name ?? plain);
    const count = size === undefined ? '' : `(${size})`;
    if (name === null) return `[${plain}${count}: null prototype]${tag} `;
    return name === plain && tag === '' && size === undefined ? '' : `${name}${count}${tag} `;
  };
  internal.prefix = prefix;

  const functionBase = (value, kind) => {
    const name = typeof value.name === 'string' && value.name !== '' ? value.name : '';
    if (sourceOf(value).startsWith('class')) {
      const parent = prototypeOf(value);
      const extending = typeof parent === 'function' && parent.name ? ` extends ${parent.name}` : '';
      return `[class ${name || '(anonymous)'}${extending}]`;
    }
    const type = /^(Async|Generator|AsyncGenerator)Function$/.test(kind) ? kind : 'Function';
    return `[${type}${name ? `: ${name}` : ' (anonymous)'}]`;
  };

  const keyText = (key) => {
    if (typeof key === 'symbol') return `[${key.toString()}]`;
    return /^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key) ? key : quote(key);
  };

  // inner shows a part of an object, one level deeper.
  const inner = (value, seen) => {
    seen.indent += 2;
    const text = show(value, seen);
    seen.indent -= 2;
    return text;
  };
  internal.inner = inner;

  // property shows one own property without running a getter.
  const property = (value, key, seen) => {
    const own = internal.lazy.has(value) ? { value: value[key] } : descriptor(value, key);
    let shown;
    if (own && (own.get || own.set)) {
      shown = own.get ? (own.set ? '[Getter/Setter]' : '[Getter]') : '[Setter]';
    } else {
      shown = inner(own ? own.value : undefined, seen);
    }
    return `${keyText(key)}: ${shown}`;
  };

  // items shows the elements of an array or typed array.
  const items = (value, seen) => {
    const out = [];
    const length = value.length;
    let i = 0;
    for (; i < length && out.length < mostItems; i++) {
      if (descriptor(value, i)) {
        out.push(inner(value[i], seen));
        continue;
      }
      const start = i;
      while (i + 1 < length && !descriptor(value, i + 1)) i++;
      out.push(`<${i - start + 1} empty item${i > start ? 's' : ''}>`);
    }
    if (i < length) out.push(more(length - i));
    return out;
  };
  const more = (n) => `... ${n} more item${n > 1 ? 's' : ''}`;
  internal.items = items;
  internal.more = more;
  internal.mostItems = mostItems;

  const isIndex = (key) => typeof key === 'string' && /^(0|[1-9]\d*)$/.test(key);

  // parts returns the pieces of an object's text.
  const parts = (value, kind, seen) => {
    if (typeof value === 'function') {
      return { prefix: '', open: '{', close: '}', entries: [], base: functionBase(value, kind), skip: (key) => key === 'prototype' };
    }
    if (Array.isArray(value)) {
      const name = prefix(value, 'Array', className(value) === 'Array' ? undefined : value.length);
      return { prefix: name, open: '[', close: ']', entries: items(value, seen), skip: isIndex, list: value };
    }
    const special = internal.special.get(kind);
    if (special) return { prefix: '', open: '{', close: '}', entries: [], ...special(value, seen) };
    const view = internal.views.get(value.constructor);
    if (view) return { prefix: prefix(value, 'Object'), open: '{', close: '}', entries: view(value, seen) };
    const plain = toString(value) === '[object Module]' ? 'Module' : 'Object';
    return { prefix: prefix(value, plain), open: '{', close: '}', entries: [] };
  };
  internal.isIndex = isIndex;

  const object = (given, seen) => {
    let value = given;
    let kind = host.className(value);
    while (kind === 'Proxy' && !internal.lazy.has(value)) { // shown without its traps
      value = host.proxyTarget(value);
      if (value === undefined || value === null) return '<Revoked Proxy>';
      kind = host.className(value);
    }
    const circle = seen.path.indexOf(value);
    if (circle >= 0) {
      if (!seen.marks.has(value)) seen.marks.set(value, seen.marks.size + 1);
      return `[Circular *${seen.marks.get(value)}]`;
    }
    const deep = seen.path.length > seen.depth;
    if (deep && (kind === 'Error' || kind === 'DOMException')) return `[${internal.errorHeader(value)}]`;
    const enough = deep || seen.room-- <= 0;
    if (enough && typeof value !== 'function' && ownKeys(value).length > (Array.isArray(value) ? 1 : 0)) {
      return `[${Array.isArray(value) ? 'Array' : (className(value) ?? 'Object: null prototype') + tagOf(value, className(value))}]`;
    }
    const { deepest } = seen;
    seen.path.push(value);
    seen.deepest = seen.path.length;
    const shown = parts(value, kind, seen);
    for (const key of ownKeys(value)) {
      const hidden = !internal.lazy.has(value) && !isEnumerable(value, key);
      if (!hidden && !shown.skip?.(key)) shown.entries.push(property(value, key, seen));
    }
    shown.entries.push(...(shown.last?.() ?? []));
    seen.path.pop();
    const text = reference(value, seen) + join(shown, seen);
    seen.deepest = shown.entries.length > 0 ? Math.max(deepest, seen.deepest) : deepest;
    return text;
  };

  const reference = (value, seen) => (seen.marks.has(value) ? `<ref *${seen.marks.get(value)}> ` : '');

  // join puts the entries on one line when they are few, short and flat.
  const join = ({ prefix, open, close, entries, base, list }, seen) => {
    const start = prefix + open;
    if (entries.length === 0) return base ?? start + close;
    const lead = base ? `${base} ` : '';
    const rows = list && entries.length > 6 ? internal.columns(entries, list, seen.indent, lineLength) : entries;
    const levels = seen.deepest - seen.path.length - 1;
    if (rows === entries && levels < levelsInOneLine) {
      const length = entries.reduce((sum, e) => sum + e.length, 0) + 2 * entries.length;
      if (length + seen.indent + start.length + (base?.length ?? 0) + 10 <= lineLength && !entries.some((e) => e.includes('\n'))) {
        return `${lead}${start} ${entries.join(', ')} ${close}`;
      }
    }
    const margin = `\n${' '.repeat(seen.indent)}`;
    return `${lead}${start}${margin}  ${rows.join(`,${margin}  `)}${margin}${close}`;
  };

  const show = (value, seen) =>
    (typeof value === 'object' && value !== null) || typeof value === 'function' ? object(value, seen) : primitive(value);
  internal.show = show;
  internal.quote = quote;
  internal.className = className;

  internal.inspect = (value, depth = 2) => show(value, { depth, room: Infinity, path: [], marks: new Map(), indent: 0, deepest: 0 });
}
