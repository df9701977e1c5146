// error.stack as other engines have it: name, message and frames. The engine
// gives only frames, and places in the code that was made from the user's text.
(host, internal) => {
  'use strict';

  const get = internal.getter(Error.prototype, 'stack');
  const moved = new WeakMap();

  // frames are an error's frames as the engine gives them, whatever a script has
  // put in their place. setFrames replaces them, for an error that is made later
  // than what it speaks of.
  internal.frames = (error) => moved.get(error) ?? get(error) ?? '';
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
