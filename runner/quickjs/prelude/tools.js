// tools is what a script calls. The names stay with the host: a server and a
// tool come into being when the script first names them.
(host, internal) => {
  'use strict';

  const { parse, stringify, inspect } = internal;
  const none = -1;
  const absent = -2;
  const pending = new Map();
  const capability = Promise.withResolvers.bind(Promise);
  let last = 0;

  class ToolError extends Error {
    constructor(message, fields = {}) {
      super(message);
      for (const key of ['server', 'tool', 'code', 'content', 'rpcCode', 'details']) {
        if (fields[key] !== undefined) this[key] = fields[key];
      }
    }
  }
  Object.defineProperty(ToolError.prototype, 'name', { value: 'ToolError', writable: true, configurable: true });

  // failed holds the errors that calls gave, with their calls: an error that a
  // script makes itself is not one of them.
  const failed = new WeakMap();

  const tooMany = stringify({ code: 'limit_calls', message: 'more calls are under way than the run may make in all' });

  // call makes a call. at is an error that was made as near to the script as can
  // be: the engine looks each frame of it up, needed or not.
  const call = (id, server, tool, args, task, at) => {
    const waiting = capability();
    waiting.at = at;
    try {
      const text = args === undefined ? '{}' : stringify(args);
      if (text === undefined) throw new TypeError(`a tool's arguments are an object, not ${inspect(args, 0)}`);
      pending.set(id, waiting);
      if (host.call(id, server, tool, text, task) === 0) internal.settle(id, 1, tooMany);
    } catch (error) {
      waiting.reject(error);
    }
    return waiting.promise;
  };

  // spawn makes a call that outlives the script. Nobody need listen to it.
  const spawn = (server, tool, args, at) => {
    const id = ++last;
    const done = call(id, server, tool, args, 1, at);
    const settled = done.then(() => {}, () => {});
    const cancel = () => {
      if (pending.has(id)) host.cancel(id);
      return settled;
    };
    return Object.freeze({ done, cancel });
  };

  // settle gives a call its answer.
  internal.settle = (id, isError, text) => {
    const waiting = pending.get(id);
    pending.delete(id);
    try {
      const answer = text === '' ? undefined : parse(text);
      if (isError) waiting.reject(failure(id, answer, waiting.at));
      else waiting.resolve(answer);
    } catch (error) { // no memory left for the answer
      waiting.reject(error);
    }
  };

  // names are those of the errors that say what a run may not do.
  const names = Object.freeze({
    __proto__: null,
    limit_calls: 'ToolBudgetExceededError',
    approval_denied: 'ApprovalDeniedError',
    approval_timeout: 'ApprovalTimeoutError',
  });

  const failure = (id, fields, at) => {
    const error = new ToolError(fields.message, fields);
    const name = names[fields.code];
    if (name !== undefined) Object.defineProperty(error, 'name', { value: name, writable: true, configurable: true });
    internal.setFrames(error, internal.frames(at));
    failed.set(error, { id, code: fields.code, tool: fields.tool });
    return error;
  };

  // quiet are the names that the language reads of every object: JSON.stringify,
  // await and the like must not fail on a tool that is not there.
  const quiet = new Set(['then', 'toJSON']);

  const readOnly = (what) => () => {
    throw new TypeError(`${what} cannot be changed by a script`);
  };

  // lookup is an object whose members make(name) finds; undefined is no member. What
  // the run may not call can be named, so that the call is refused with the reason,
  // and is hidden else.
  const lookup = (owner, what, make) => {
    const members = new Map();
    const member = (name) => {
      let found = members.get(name);
      if (found === undefined && (found = make(name)) !== undefined) members.set(name, found);
      return found;
    };
    const shown = (key) => typeof key === 'string' && ((owner === none && key in own) || host.shown(owner, key))
      ? member(key) : undefined;
    const proxy = new Proxy({}, {
      get(target, key) {
        const found = typeof key === 'string' ? member(key) : undefined;
        if (found !== undefined || typeof key === 'symbol' || quiet.has(key)) return found;
        if (key in target) return target[key];
        throw new TypeError(host.missing(owner, key));
      },
      has: (target, key) => shown(key) !== undefined || key in target,
      ownKeys: () => parse(host.names(owner)),
      getOwnPropertyDescriptor(target, key) {
        const value = shown(key);
        return value && { value, enumerable: true, configurable: true, writable: false };
      },
      set: readOnly(what),
      defineProperty: readOnly(what),
      deleteProperty: readOnly(what),
      setPrototypeOf: readOnly(what),
      preventExtensions: readOnly(what),
    });
    internal.lazy.add(proxy);
    return proxy;
  };

  // A server that is not connected seems to have every tool: the call says what
  // is wrong with it.
  const toolOf = (server, make) => (name) => {
    const tool = host.tool(server, name);
    if (tool === none || (tool === absent && (quiet.has(name) || name in Object.prototype))) return undefined;
    const invoke = (args) => make(server, name, args, new Error());
    Object.defineProperty(invoke, 'name', { value: name });
    return Object.freeze(invoke);
  };

  const servers = (owner, make) => (name) => {
    const server = host.server(name);
    return server === none ? undefined : lookup(server, `${owner}.${name}`, toolOf(server, make));
  };
  const callOf = servers('tools', (server, tool, args, at) => call(++last, server, tool, args, 0, at));
  const spawnOf = lookup(none, 'tools.spawn', servers('tools.spawn', spawn));

  // own are the members that the gateway itself answers.
  const member = (name, argumentsOf) => {
    const invoke = (...given) => call(++last, none, name, argumentsOf(...given), 0, new Error());
    Object.defineProperty(invoke, 'name', { value: name });
    return Object.freeze(invoke);
  };
  const own = Object.freeze({
    __proto__: null,
    spawn: spawnOf,
    $search: member('$search', (query, options) => ({ ...options, query })),
    $describe: member('$describe', (tool) => ({ tool })),
  });
  internal.tools = lookup(none, 'tools', (name) => own[name] ?? callOf(name));
  internal.ToolError = ToolError;
  internal.failedCall = (error) => failed.get(error);
}
