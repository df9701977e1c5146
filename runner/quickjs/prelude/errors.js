// How errors are shown: name and message, the script's frames, then what else
// they carry.
(host, internal) => {
  'use strict';

  const { special, descriptor, prototypeOf, className, show } = internal;

  // inherited is a data property of an object or of what it inherits from,
  // without running a getter of the script's.
  const inherited = (value, key) => {
    for (let o = value; o !== null; o = prototypeOf(o)) {
      const own = descriptor(o, key);
      if (own) return 'value' in own || o !== value ? value[key] : undefined;
    }
    return undefined;
  };

  // errorName is the name that says most: the one that the script gave, or that
  // of its class.
  internal.errorName = (error) => {
    const name = inherited(error, 'name');
    const type = className(error);
    if (typeof name !== 'string' || name === '') return type ?? 'Error';
    return name === 'Error' && type !== null && type !== 'Error' ? type : name;
  };

  internal.errorMessage = (error) => {
    const message = inherited(error, 'message');
    return message === undefined ? '' : typeof message === 'object' ? internal.inspect(message) : String(message);
  };

  // frames are the lines of an error's stack that are the script's, in terms of
  // the user's text.
  const frames = (error) => {
    const { stack } = error;
    return typeof stack === 'string' ? host.trace(stack) : '';
  };

  const shown = (error, seen) => {
    const message = internal.errorMessage(error);
    const header = internal.errorName(error) + (message ? `: ${message}` : '');
    const stack = frames(error);
    const margin = ' '.repeat(seen.indent);
    const text = stack ? `${header}\n${stack}` : seen.path.length > 1 ? `[${header}]` : header;
    const entries = [];
    for (const key of ['cause', 'errors']) {
      const own = descriptor(error, key);
      if (!own || !('value' in own) || own.enumerable) continue;
      seen.indent += 2;
      entries.push(`[${key}]: ${show(own.value, seen)}`);
      seen.indent -= 2;
    }
    return {
      base: text.replaceAll('\n', `\n${margin}`), entries,
      skip: (key) => key === 'stack' || key === 'message' || (key === 'name' && error.name === internal.errorName(error)),
    };
  };
  special.set('Error', shown);
  special.set('DOMException', shown);
}
