// describe reports an uncaught error to the host.
(host, internal) => {
  'use strict';

  const { stringify, inspect, show, descriptor } = internal;

  const codeOf = (error) => {
    if (error instanceof internal.InvalidResultError) return 'invalid_result';
    if (error instanceof InternalError && error.message === 'out of memory') return 'limit_memory';
    if (internal.overflowed(error)) return 'limit_stack';
    // Only violations of the run's limits and permissions have a kind of their
    // own.
    const code = internal.failedCall(error)?.code;
    return /^(limit_|approval_|quarantined$)/.test(code) ? code : 'threw';
  };

  // Nested errors are listed up to a limit: a chain of causes is followed to its
  // end, a wide tree of errors is cut.
  const depth = 8;
  const room = 500;
  const inside = (value, error) => show(value, { depth, room, path: [error], marks: new Map(), indent: 0, deepest: 0 });

  const isError = (value) => value instanceof Error || value instanceof DOMException;

  // A script that reckons with a large integer of a result may not know that it is a bigint.
  const mixed = /^(?:cannot convert BigInt to number|Cannot mix BigInt and other types|Cannot convert a BigInt value to a number)/;
  const advice = '; an integer beyond 2^53 in a result is a bigint: String(value) keeps its digits, Number(value) rounds it';
  const many = '; add large lists without ...: for (const row of rows) list.push(row), or list = list.concat(rows)';
  const messageOf = (error) => {
    const message = internal.errorMessage(error);
    if (error instanceof RangeError && message.startsWith('too many arguments in function call')) return message + many;
    return error instanceof TypeError && mixed.test(message) ? message + advice : message;
  };

  internal.describe = (error) => {
    if (!isError(error)) {
      return stringify({ name: 'Error', message: typeof error === 'string' ? error : inspect(error), code: 'threw' });
    }
    const call = internal.failedCall(error);
    const more = {};
    for (const key of internal.innerErrors) {
      const own = descriptor(error, key);
      if (own && 'value' in own && own.value !== undefined) more[key] = inside(own.value, error);
    }
    return stringify({
      name: internal.errorName(error),
      message: messageOf(error),
      stack: internal.frames(error),
      code: codeOf(error),
      server: call?.server,
      tool: call?.tool,
      failure: call?.code,
      sent: call?.sent,
      call: call?.id,
      more,
    });
  };
}
