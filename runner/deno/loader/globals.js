// globals removes globals that QuickJS does not have: access to the network, creation
// of code or processes, and features that would make a script depend on Deno. The
// permissions protect the system; this file makes the engines equal.
(host, internal) => {
  'use strict';

  const { URL: Native, Blob, Event, PromiseRejectionEvent } = globalThis;
  const dispatch = globalThis.dispatchEvent.bind(globalThis);
  internal.address = (name, folder) => new Native(name, folder).href;
  internal.moduleURL = (code) => Native.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const { then } = Promise.prototype;
  const typeOf = internal.getter(Event.prototype, 'type');
  const reasonOf = internal.getter(PromiseRejectionEvent.prototype, 'reason');

  // resolved returns the name of a module as package runner does.
  const resolved = (importer, name) => {
    if (!name.startsWith('./') && !name.startsWith('../')) return name;
    const path = importer?.startsWith('./') ? importer.split('/').slice(1, -1) : [];
    for (const part of name.split('/')) {
      if (part === '..' && path.length > 0 && path.at(-1) !== '..') path.pop();
      else if (part !== '.' && part !== '') path.push(part);
    }
    return `./${path.join('/')}`;
  };

  // Deno's permissions allow data: modules, and its import map cannot name them.
  // The hook refuses every other name with the same error as QuickJS.
  globalThis.process?.getBuiltinModule?.('node:module')?.registerHooks?.({
    resolve(name, context, next) {
      if (name === 'toolscript' || name.startsWith('blob:')) return next(name, context);
      if (internal.script?.names.has(name)) return next(name, context); // by its address
      const full = resolved(internal.script?.names.get(context.parentURL), name);
      const url = internal.script?.urls.get(full);
      if (url !== undefined) return next(url, context);
      const error = new TypeError(`cannot import ${internal.stringify(full)}: a script can import only "toolscript" and files such as "./lib.ts"`);
      error.name = ''; // Deno makes a TypeError of its text
      throw error;
    },
  });

  const kept = new Set([
    'Object', 'Function', 'Array', 'Number', 'parseFloat', 'parseInt', 'Infinity', 'NaN', 'undefined', 'Boolean', 'String',
    'Symbol', 'Date', 'Promise', 'RegExp', 'Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError',
    'SyntaxError', 'TypeError', 'URIError', 'globalThis', 'JSON', 'Math', 'ArrayBuffer', 'Uint8Array', 'Int8Array',
    'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array', 'BigUint64Array', 'BigInt64Array', 'Uint8ClampedArray',
    'Float16Array', 'Float32Array', 'Float64Array', 'DataView', 'Map', 'BigInt', 'Set', 'Iterator', 'WeakMap', 'WeakSet',
    'Proxy', 'Reflect', 'FinalizationRegistry', 'WeakRef', 'Intl',
    'DisposableStack', 'AsyncDisposableStack', 'SuppressedError', 'decodeURI', 'decodeURIComponent', 'encodeURI',
    'encodeURIComponent', 'escape', 'unescape', 'isFinite', 'isNaN', 'DOMException', 'atob', 'btoa',
    'eval', 'SharedArrayBuffer', 'performance', 'Deno', // the prelude takes these away or replaces them
  ]);
  const { prototypeOf, ownKeys } = internal;
  for (const owner of [globalThis, prototypeOf(globalThis)]) {
    for (const key of owner === Object.prototype ? [] : ownKeys(owner)) {
      if (typeof key === 'string' && !kept.has(key) && key !== 'constructor') Reflect.deleteProperty(owner, key);
    }
  }
  delete globalThis.Deno;
  // The parts of Intl that QuickJS does not have.
  for (const name of ['Locale', 'DisplayNames', 'Segmenter', 'DurationFormat', 'supportedValuesOf']) delete Intl[name];
  for (const type of [Intl.DateTimeFormat, Intl.NumberFormat]) {
    delete type.prototype.formatRange;
    delete type.prototype.formatRangeToParts;
  }
  delete Intl.PluralRules.prototype.selectRange;
  internal.define('InternalError', InternalError);
  // Deno's own queueMicrotask initialises itself on first use, which a frozen global
  // prevents, and its errors are not reported here.
  const ready = Promise.resolve();
  internal.define('queueMicrotask', function queueMicrotask(callback) {
    if (typeof callback !== 'function') throw new TypeError('not a function');
    internal.apply(then, ready, [() => {
      try {
        callback();
      } catch (error) {
        internal.fail(error);
      }
    }]);
  });
  // Deno dispatches an event of this name for unhandled rejections. Scripts cannot
  // create such events.
  Object.defineProperty(globalThis, 'dispatchEvent', {
    value(event) {
      if (event instanceof PromiseRejectionEvent && typeOf(event) === 'unhandledrejection') internal.fail?.(reasonOf(event));
      return true;
    },
  });
  // Deno marks a reported promise, which is impossible on a frozen global. It is
  // reported here instead.
  dispatch(new Event('unload'));
  Object.setPrototypeOf(globalThis, Object.prototype);
}
