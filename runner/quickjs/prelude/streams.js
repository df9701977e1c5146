// What readable and writable streams have in common.
(host, internal) => {
  'use strict';

  const { apply } = internal;

  // quiet marks a promise whose rejection is an answer, and not a failure of the script.
  const quiet = (promise) => {
    promise.catch(() => {});
    return promise;
  };

  // capability returns a quiet promise with the functions that settle it.
  const capability = () => {
    const made = Promise.withResolvers();
    quiet(made.promise);
    return made;
  };

  const rejected = (message) => Promise.reject(new TypeError(message));

  // method returns a method of the script's object as an async function, so that what it
  // throws is a rejection too.
  const method = (owner, name) => {
    const found = owner?.[name];
    if (found === undefined || found === null) return undefined;
    if (typeof found !== 'function') throw new TypeError(`${name} of a stream is a function, not ${internal.inspect(found, 0)}`);
    return async (...args) => apply(found, owner, args);
  };

  // begin calls the method start of the script's object at once, and ready or fail when it
  // has ended.
  const begin = (owner, controller, ready, fail) => {
    const begun = owner?.start === undefined ? undefined : apply(owner.start, owner, [controller]);
    const wait = async () => {
      try {
        await begun;
        ready();
      } catch (error) {
        fail(error);
      }
    };
    wait();
  };

  const markOf = (strategy) => {
    const mark = strategy?.highWaterMark === undefined ? 1 : Number(strategy.highWaterMark);
    if (!(mark >= 0)) throw new RangeError('highWaterMark of a stream is a number from 0');
    return mark;
  };

  internal.streams = { quiet, capability, rejected, method, begin, markOf, released: 'the reader or writer was released' };
}
