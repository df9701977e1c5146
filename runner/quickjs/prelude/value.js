// The value of a script as JSON.
(host, internal) => {
  'use strict';

  const { stringify } = internal;

  class InvalidResultError extends TypeError {}
  Object.defineProperty(InvalidResultError.prototype, 'name', { value: 'InvalidResultError' });
  internal.InvalidResultError = InvalidResultError;

  const names = { bigint: 'a BigInt', function: 'a function', symbol: 'a symbol' };

  // refuse is a replacer for JSON.stringify, which would leave functions and
  // symbols out without a word.
  const refuse = (key, value) => {
    const name = names[typeof value];
    if (name === undefined) return value;
    const where = key === '' ? 'is' : `holds, at ${stringify(key)},`;
    throw new InvalidResultError(`the script's value ${where} ${name}, which JSON cannot hold`);
  };

  const firstLine = (error) => error.message.split('\n', 1)[0];

  internal.finish = async (namespace) => {
    const value = await namespace.default;
    if (value === undefined) return undefined;
    try {
      return stringify(value, refuse);
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
