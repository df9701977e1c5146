// The value of a script as JSON.
(host, internal) => {
  'use strict';

  const { stringify } = internal;

  class InvalidResultError extends TypeError {}
  Object.defineProperty(InvalidResultError.prototype, 'name', { value: 'InvalidResultError' });
  internal.InvalidResultError = InvalidResultError;

  // overflowed reports whether an error is the engine's word for calls nested too
  // deep.
  internal.overflowed = (error) => error instanceof RangeError && error.message === 'Maximum call stack size exceeded';

  const names = { bigint: 'a BigInt', function: 'a function', symbol: 'a symbol' };

  // refuse is a replacer for JSON.stringify, which would leave functions and
  // symbols out without a word.
  const refuse = (key, value) => {
    const name = names[typeof value];
    if (name === undefined) return value;
    const where = key === '' ? 'is' : `holds, at ${stringify(key)},`;
    throw new InvalidResultError(`the script's value ${where} ${name}, which JSON cannot hold`);
  };

  // refuseIn is the same for a value that is nested deeper than V8 calls a replacer.
  // What an object gives for itself (toJSON) is not looked into.
  const refuseIn = (root) => {
    const waiting = [['', root]];
    const seen = new Set();
    while (waiting.length > 0) {
      const [key, value] = waiting.pop();
      refuse(key, value);
      if (typeof value !== 'object' || value === null || typeof value.toJSON === 'function' || seen.has(value)) continue;
      seen.add(value);
      for (const name of Object.keys(value)) waiting.push([name, value[name]]);
    }
  };

  // show is the value as JSON.
  const show = (value) => {
    try {
      return stringify(value, refuse);
    } catch (error) {
      if (!internal.overflowed(error)) throw error;
    }
    refuseIn(value);
    try {
      return stringify(value);
    } catch (error) {
      if (!internal.overflowed(error)) throw error;
      throw new InvalidResultError('the value of the script nests too deep to be passed on');
    }
  };

  const firstLine = (error) => error.message.split('\n', 1)[0];

  internal.finish = async (namespace) => {
    const value = await namespace.default;
    if (value === undefined) return undefined;
    try {
      return show(value);
    } catch (error) {
      if (error instanceof TypeError && firstLine(error) === internal.circular) {
        throw new InvalidResultError("the script's value holds itself, which JSON cannot show");
      }
      throw error;
    }
  };

  const circle = {};
  circle.circle = circle;
  try {
    stringify(circle);
  } catch (error) {
    internal.circular = firstLine(error); // what the engine says of such a value; V8 goes on to its members
  }
}
