// How errors are shown: name and message, the script's frames, then the error's other
// properties.
(host, internal) => {
  'use strict';

  const { special, descriptor, prototypeOf, className, inner } = internal;

  // inherited reads a data property of an object or of its prototypes, without
  // running a getter of the script.
  const inherited = (value, key) => {
    for (let o = value; o !== null; o = prototypeOf(o)) {
      const own = descriptor(o, key);
      if (own) return 'value' in own || o !== value ? value[key] : undefined;
    }
    return undefined;
  };

  // errorName returns the most specific name: the one that the script set, or the
  // name of the class.
  internal.errorName = (error) => {
    const name = inherited(error, 'name');
    const type = className(error);
    if (typeof name !== 'string' || name === '') return type ?? 'Error';
    return name === 'Error' && type !== null && type !== 'Error' ? type : name;
  };

  internal.errorMessage = (error) => {
    const message = inherited(error, 'message');
    if (message === '' && error instanceof AggregateError) return 'All promises were rejected'; // of Promise.any, as V8 says
    return message === undefined ? '' : typeof message === 'object' ? internal.inspect(message) : String(message);
  };

  internal.errorHeader = (error) => {
    const message = internal.errorMessage(error);
    return internal.errorName(error) + (message ? `: ${message}` : '');
  };

  // hidden are properties that are shown although they are not enumerable.
  const hidden = (error, seen) => {
    const entries = [];
    for (const key of internal.innerErrors) {
      const own = descriptor(error, key);
      if (own && 'value' in own && !own.enumerable) entries.push(`[${key}]: ${inner(own.value, seen)}`);
    }
    return entries;
  };

  const shown = (error, seen) => {
    const header = internal.errorHeader(error);
    const stack = host.trace(internal.frames(error));
    const margin = ' '.repeat(seen.indent);
    const text = stack ? `${header}\n${stack}` : seen.path.length > 1 ? `[${header}]` : header;
    return {
      base: text.replaceAll('\n', `\n${margin}`), last: () => hidden(error, seen),
      skip: (key) => key === 'stack' || key === 'message' || (key === 'name' && error.name === internal.errorName(error)),
    };
  };
  special.set('Error', shown);
  special.set('DOMException', shown);
}
