// globals takes away what QuickJS has not: what reaches the network, makes code
// or processes, and what would make a script run on one engine only. The
// permissions are the wall; this makes both engines alike.
(host, internal) => {
  'use strict';

  const { URL: Native, Blob, Event, PromiseRejectionEvent } = globalThis;
  const dispatch = globalThis.dispatchEvent.bind(globalThis);
  internal.moduleURL = (code) => Native.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const { then } = Promise.prototype;
  const typeOf = internal.getter(Event.prototype, 'type');
  const reasonOf = internal.getter(PromiseRejectionEvent.prototype, 'reason');

  const kept = new Set([
    'Object', 'Function', 'Array', 'Number', 'parseFloat', 'parseInt', 'Infinity', 'NaN', 'undefined', 'Boolean', 'String',
    'Symbol', 'Date', 'Promise', 'RegExp', 'Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError',
    'SyntaxError', 'TypeError', 'URIError', 'globalThis', 'JSON', 'Math', 'ArrayBuffer', 'Uint8Array', 'Int8Array',
    'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array', 'BigUint64Array', 'BigInt64Array', 'Uint8ClampedArray',
    'Float16Array', 'Float32Array', 'Float64Array', 'DataView', 'Map', 'BigInt', 'Set', 'Iterator', 'WeakMap', 'WeakSet',
    'Proxy', 'Reflect', 'FinalizationRegistry', 'WeakRef',
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
  internal.define('InternalError', InternalError);
  // Deno's own makes itself anew when it is first used, which no frozen global
  // allows, and tells nobody here of an error.
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
  // Deno tells of rejections nobody heard by this name. No script can make such
  // an event.
  Object.defineProperty(globalThis, 'dispatchEvent', {
    value(event) {
      if (event instanceof PromiseRejectionEvent && typeOf(event) === 'unhandledrejection') internal.fail?.(reasonOf(event));
      return true;
    },
  });
  // A frozen global takes no mark that its end was told; so it is told now.
  dispatch(new Event('unload'));
  Object.setPrototypeOf(globalThis, Object.prototype);
}
