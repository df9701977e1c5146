// describe tells the host of an error that nobody caught.
(host, internal) => {
  'use strict';

  const { stringify, inspect, show, descriptor } = internal;

  const codeOf = (error) => {
    if (error instanceof internal.InvalidResultError) return 'invalid_result';
    if (error instanceof InternalError && error.message === 'out of memory') return 'limit_memory';
    if (internal.overflowed(error)) return 'limit_stack';
    // Only what the run may not do ends it with a kind of its own.
    const code = internal.failedCall(error)?.code;
    return /^(limit_|approval_)/.test(code) ? code : 'threw';
  };

  // What is shown of the errors inside an error: a chain is read to its end, and a
  // wide tree is not.
  const depth = 8;
  const room = 500;
  const inside = (value, error) => show(value, { depth, room, path: [error], marks: new Map(), indent: 0, deepest: 0 });

  const isError = (value) => value instanceof Error || value instanceof DOMException;

  internal.describe = (error) => {
    if (!isError(error)) {
      return stringify({ name: 'Error', message: typeof error === 'string' ? error : inspect(error), code: 'threw' });
    }
    const call = internal.failedCall(error);
    const more = {};
    for (const key of ['cause', 'errors']) {
      const own = descriptor(error, key);
      if (own && 'value' in own && own.value !== undefined) more[key] = inside(own.value, error);
    }
    return stringify({
      name: internal.errorName(error),
      message: internal.errorMessage(error),
      stack: internal.frames(error),
      code: codeOf(error),
      tool: call?.tool,
      call: call?.id,
      more,
    });
  };
}
