// tools contains the callable tools. The host keeps the names: the object of a server
// or tool is created when the script first uses its name.
(host, internal) => {
  'use strict';

  const { parse, stringify, inspect, argumentsText } = internal;
  const none = -1;
  const absent = -2;
  const group = -3;
  const as = -4;
  const notPlain = 2;
  const pending = new Map();
  const capability = Promise.withResolvers.bind(Promise);
  let last = 0;

  class ToolError extends Error {
    constructor(message, fields = {}) {
      super(message);
      for (const key of ['server', 'tool', 'code', 'content', 'structuredContent', 'rpcCode', 'status', 'sent', 'retryAfterMs', 'details']) {
        if (fields[key] !== undefined) this[key] = fields[key];
      }
    }
  }
  Object.defineProperty(ToolError.prototype, 'name', { value: 'ToolError', writable: true, configurable: true });

  // failed maps the errors of failed calls to the calls. An error that a script
  // creates itself is not in it.
  const failed = new WeakMap();

  const tooMany = stringify({ code: 'limit_calls', sent: 'no', message: 'the calls in flight exceed the limit of the run' });

  // here returns an error with the trace of a call, or undefined if the host reads the trace
  // of each call itself.
  const here = host.frames === undefined ? () => new Error() : () => undefined;

  // direct: the host encodes arguments itself, unless they need the engine.
  const direct = host.callPlain !== undefined;

  // call makes a tool call. at is an error with its trace; undefined: that of the call. shape converts the
  // answer to the script's value. key is an idempotency key; most calls have none.
  const call = (id, server, tool, args, task, at, shape, key) => {
    const waiting = capability();
    waiting.at = at;
    waiting.shape = shape;
    pending.set(id, waiting);
    try {
      let begun = direct && key === undefined ? host.callPlain(id, server, tool, args, task) : notPlain;
      if (begun === notPlain) {
        const text = args === undefined ? '{}' : argumentsText(args);
        if (text === undefined) throw new TypeError(`a tool's arguments are an object, not ${inspect(args, 0)}`);
        begun = key === undefined ? host.call(id, server, tool, text, task) : host.call(id, server, tool, text, task, key);
      }
      if (begun === 0) internal.settle(id, 1, tooMany);
    } catch (error) {
      pending.delete(id);
      if (task === 1) throw error; // nothing may wait for the promise
      waiting.reject(error);
    }
    return waiting.promise;
  };

  // spawn makes a call that outlives the script, unless the script asks for its answer.
  const spawn = (server, tool, args, at) => {
    const id = ++last;
    const done = call(id, server, tool, args, 1, at);
    const settled = done.then(() => {}, () => {});
    const cancel = () => {
      if (pending.has(id)) host.cancel(id);
      return settled;
    };
    return Object.freeze({
      id: `${id}`,
      get done() {
        if (pending.has(id)) host.await(id);
        return done;
      },
      cancel,
    });
  };

  // spawnByName is tools.spawn.exec of the scripts of answers: it starts a tool by its
  // name in scripts or its id.
  const spawnByName = Object.freeze(function exec(tool, args) {
    if (typeof tool !== 'string') throw new TypeError(`the name of a tool is a text, not ${inspect(tool, 0)}`);
    return spawn(none, tool, args, here());
  });

  // frozen freezes the result of a tool for the script of an answer.
  const frozen = (result) => (internal.freezes === undefined ? result : internal.freezes(result));

  // withContent adds the content blocks to a value, as a property that JSON and loops skip.
  const withContent = ({ value, content }) => {
    if (typeof value !== 'object' || value === null) return value;
    return Object.defineProperty(value, '$content', { value: content, writable: true, configurable: true });
  };

  // answered passes a call its answer: a value, the fields of a ToolError (how is 1),
  // what was thrown when the answer was parsed (2), or a value and its content blocks (3).
  internal.answered = (id, how, answer) => {
    const waiting = pending.get(id);
    pending.delete(id);
    try {
      if (how === 2) waiting.reject(answer);
      else if (how === 1) waiting.reject(failure(id, answer, waiting.at));
      else if (how === 3) waiting.resolve(frozen(withContent(answer)));
      else waiting.resolve(frozen(waiting.shape === undefined ? answer : waiting.shape(answer)));
    } catch (error) { // no memory left
      waiting.reject(error);
    }
  };

  // settle is answered for an engine that has the answer as text.
  internal.settle = (id, isError, text) => {
    try {
      internal.answered(id, isError, text === '' ? undefined : parse(text));
    } catch (error) { // no memory left for the answer
      internal.answered(id, 2, error);
    }
  };

  // names are the names of errors about limits and permissions of the run.
  const names = Object.freeze({
    __proto__: null,
    limit_calls: 'ToolBudgetExceededError',
    approval_denied: 'ApprovalDeniedError',
    approval_timeout: 'ApprovalTimeoutError',
    quarantined: 'ToolQuarantinedError',
  });

  const failure = (id, fields, at) => {
    const error = new ToolError(fields.message, frozen(fields));
    const name = names[fields.code];
    if (name !== undefined) Object.defineProperty(error, 'name', { value: name, writable: true, configurable: true });
    internal.setFrames(error, at === undefined ? host.frames() : internal.frames(at));
    failed.set(error, { id, code: fields.code, server: fields.server, tool: fields.tool, sent: fields.sent });
    return error;
  };

  // quiet are names that the language itself reads from objects: JSON.stringify,
  // await and others must not fail because there is no such tool.
  const quiet = new Set(['then', 'toJSON']);

  const readOnly = (what) => () => {
    throw new TypeError(`${what} cannot be changed by a script`);
  };

  // lookup returns an object whose members make(name) creates; undefined means no
  // member. Members that the run may not call can be used, so that the call fails
  // with the reason, but are not listed.
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

  // toolOf returns the tools of a server as functions. paged: they have the method pages.
  // A server that is not connected seems to have every tool. The call fails with
  // the reason.
  const toolOf = (server, make, owner, path, paged) => (name) => {
    const tool = host.tool(server, name);
    if (tool === as) return accountOf(server, make, owner, path, paged);
    if (tool === group) return serverOf(owner, `${path}.${name}`, make, paged);
    if (tool === none || (tool === absent && (quiet.has(name) || name in Object.prototype))) return undefined;
    const invoke = (args) => make(server, name, args, here());
    Object.defineProperty(invoke, 'name', { value: name });
    if (paged) {
      const pages = internal.pagesOf(`${owner}.${path === '' ? '' : `${path}.`}${name}`, () => host.pages(server, name), (args, at) => make(server, name, args, at));
      Object.defineProperty(invoke, 'pages', { value: pages });
    }
    return Object.freeze(invoke);
  };

  // serverOf returns a server, or a group of flat names such as prompts or agents.llm.
  const serverOf = (owner, path, make, paged) => {
    const server = host.server(path);
    return server === none ? undefined : lookup(server, `${owner}.${path}`, toolOf(server, make, owner, path, paged));
  };

  // accountOf returns $as of a server with accounts: the server with another account.
  const accountOf = (server, make, owner, path, paged) => Object.freeze(function $as(account) {
    if (typeof account !== 'string') throw new TypeError(`the name of an account is a text, not ${inspect(account, 0)}`);
    const found = serverOf(owner, `${path.replace(/@.*/, '')}@${account}`, make, paged);
    if (found === undefined) throw new TypeError(host.missing(server, `@${account}`));
    return found;
  });
  const servers = (owner, make, paged) => (name) => serverOf(owner, name, make, paged) ?? toolOf(none, make, owner, '', paged)(name);
  const callOf = servers('tools', (server, tool, args, at) => call(++last, server, tool, args, 0, at), true);
  const spawned = servers('tools.spawn', spawn);
  const spawnOf = lookup(none, 'tools.spawn', (name) => (name === 'exec' && internal.freezes ? spawnByName : spawned(name)));

  // keyOf returns the idempotency key of the options of tools.$with. It reads each option once.
  const keyOf = (options) => {
    if (typeof options !== 'object' || options === null) throw new TypeError(`tools.$with takes { idempotencyKey }, not ${inspect(options, 0)}`);
    const { idempotencyKey: key, ...others } = options;
    for (const name of Object.keys(others)) throw new TypeError(`tools.$with has no option ${name}; it has idempotencyKey`);
    if (typeof key !== 'string' || !/^[!-~]{1,255}$/.test(key)) throw new TypeError('an idempotencyKey is a text of 1 to 255 visible characters of ASCII');
    return key;
  };

  // withOptions is tools.$with: the servers, with functions whose calls have an idempotency
  // key. They have no method pages: its calls would all have the same key.
  const withOptions = Object.freeze(function $with(options) {
    const key = keyOf(options);
    const owner = 'tools.$with(…)';
    return lookup(none, owner, servers(owner, (server, tool, args, at) => call(++last, server, tool, args, 0, at, undefined, key)));
  });

  // own are the members that the gateway itself implements.
  const member = (name, argumentsOf, shape) => {
    const invoke = (...given) => call(++last, none, name, argumentsOf(...given), 0, here(), shape);
    Object.defineProperty(invoke, 'name', { value: name });
    return Object.freeze(invoke);
  };
  internal.ask = (name, args, shape) => call(++last, none, name, args, 0, here(), shape);
  const own = Object.freeze({
    __proto__: null,
    spawn: spawnOf,
    $with: withOptions,
    $search: member('$search', (query, options) => ({ ...options, query }),
      ({ results, nearest }) => Object.defineProperty(results, 'nearest', { value: nearest, enumerable: true })),
    $describe: member('$describe', (tool) => ({ tool })),
  });
  internal.tools = lookup(none, 'tools', (name) => own[name] ?? callOf(name));
  internal.ToolError = ToolError;
  internal.failedCall = (error) => failed.get(error);
}
