// error.stack in V8's form: name, message and frames. The engine gives only frames,
// with places in the compiled code.
(host, internal) => {
  'use strict';

  const { descriptor, prototypeOf } = internal;
  const get = internal.getter(Error.prototype, 'stack');
  const top = Error.prototype;
  const moved = new WeakMap();
  const caller = /^\s*at (.+) \(/;

  // classesOf returns the names of an error's class and of its base classes.
  const classesOf = (error) => {
    const names = [];
    for (let o = prototypeOf(error); o !== null && o !== top; o = prototypeOf(o)) {
      const made = descriptor(o, 'constructor')?.value;
      if (typeof made === 'function') names.push(descriptor(made, 'name')?.value);
    }
    return names;
  };

  // made returns the frames below the constructor of an error. V8 leaves out the
  // constructors of the error's class, QuickJS does not.
  const made = (error, frames) => {
    const names = frames === undefined || frames === '' ? [] : classesOf(error);
    while (names.length > 0) {
      const name = caller.exec(frames)?.[1];
      if (name === undefined || !names.includes(name)) break;
      frames = frames.slice(frames.indexOf('\n') + 1 || frames.length);
      if (name === names[0]) break;
    }
    return frames;
  };

  // frames returns the frames of an error as the engine recorded them, even if the
  // script has replaced them. setFrames replaces them, for an error that is created
  // later than its cause.
  internal.frames = (error) => moved.get(error) ?? made(error, get(error)) ?? '';
  internal.setFrames = (error, frames) => moved.set(error, frames);

  Object.defineProperty(Error.prototype, 'stack', {
    get() {
      if (!(this instanceof Error)) return undefined;
      const trace = host.trace(internal.frames(this));
      return internal.errorHeader(this) + (trace === '' ? '' : `\n${trace}`);
    },
    set(value) {
      Object.defineProperty(this, 'stack', { value, writable: true, enumerable: false, configurable: true });
    },
    enumerable: false,
    configurable: true,
  });
}
