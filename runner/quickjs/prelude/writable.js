// WritableStream.
(host, internal) => {
  'use strict';

  const { capability, quiet, rejected, method, begin, markOf, released } = internal.streams;

  // sink is the state of a WritableStream and the methods that its writer uses.
  const sink = (given, mark) => {
    const [write, close, abort] = [method(given, 'write'), method(given, 'close'), method(given, 'abort')];
    const queue = []; // the first is in work
    const closed = capability();
    const at = { state: 'writable', failure: undefined, ready: capability(), full: false, busy: true };
    at.ready.resolve();

    // notify renews the promise ready when the queue becomes full, and settles it when
    // there is room again.
    const notify = () => {
      const full = at.state === 'writable' && queue.length >= mark;
      if (full && !at.full) at.ready = capability();
      if (!full && at.full) at.ready.resolve();
      at.full = full;
    };
    const fail = (error) => {
      if (at.state === 'errored' || at.state === 'closed') return;
      Object.assign(at, { state: 'errored', failure: error });
      for (const next of queue.splice(0)) next.reject(error);
      closed.reject(error);
      if (!at.full) at.ready = capability();
      at.ready.reject(error);
    };
    const done = (next) => {
      queue.shift();
      if (next.last && at.state !== 'errored') {
        at.state = 'closed';
        closed.resolve();
      }
      next.resolve();
      notify();
    };
    const advance = async () => {
      if (at.busy) return;
      at.busy = true;
      while (queue.length > 0) {
        const next = queue[0];
        try {
          await (next.last ? close?.() : write?.(next.chunk, controller));
          if (at.state !== 'errored') done(next);
        } catch (error) {
          fail(error);
        }
      }
      at.busy = false;
    };
    const add = (next) => {
      if (at.state === 'errored') return Promise.reject(at.failure);
      if (at.state !== 'writable') return rejected('the stream is closed');
      const waiting = Object.assign(Promise.withResolvers(), next);
      queue.push(waiting);
      if (next.last) at.state = 'closing';
      notify();
      advance();
      return waiting.promise;
    };
    const controller = Object.freeze({ error: fail });
    notify();
    const ready = () => {
      at.busy = false;
      advance();
    };
    begin(given, controller, ready, fail);

    return {
      at,
      closed: closed.promise,
      desiredSize: () => (at.state === 'errored' ? null : at.state === 'closed' ? 0 : mark - queue.length),
      write: (chunk) => add({ chunk }),
      close: () => add({ last: true }),
      async abort(reason) {
        if (at.state === 'closed' || at.state === 'errored') return;
        fail(reason);
        await abort?.(reason);
      },
    };
  };

  class WritableStream {
    #sink;
    #writer; // that has the lock

    constructor(given = {}, strategy = {}) { this.#sink = sink(given, markOf(strategy)); }
    get locked() { return this.#writer !== undefined; }
    getWriter() { return new WritableStreamDefaultWriter(this); }
    close() { return this.locked ? rejected('the stream is locked: close its writer') : this.#sink.close(); }
    abort(reason) { return this.locked ? rejected('the stream is locked: abort its writer') : this.#sink.abort(reason); }

    static {
      internal.lockWritable = (stream, writer) => {
        if (writer !== undefined && stream.locked) throw new TypeError('the stream is locked to a writer');
        stream.#writer = writer;
        return stream.#sink;
      };
      internal.views.set(WritableStream, (stream) => [`locked: ${stream.locked}`, `state: '${stream.#sink.at.state}'`]);
    }
  }

  class WritableStreamDefaultWriter {
    #stream;
    #sink;
    #lost; // the promises of a writer that was released

    constructor(stream) {
      this.#sink = internal.lockWritable(stream, this);
      this.#stream = stream;
    }
    get closed() { return this.#lost ?? this.#sink.closed; }
    get ready() { return this.#lost ?? this.#sink.at.ready.promise; }
    get desiredSize() {
      if (this.#lost) throw new TypeError(released);
      return this.#sink.desiredSize();
    }
    write(chunk) { return this.#lost ? rejected(released) : this.#sink.write(chunk); }
    close() { return this.#lost ? rejected(released) : this.#sink.close(); }
    abort(reason) { return this.#lost ? rejected(released) : this.#sink.abort(reason); }
    releaseLock() {
      if (this.#lost) return;
      internal.lockWritable(this.#stream, undefined);
      this.#lost = quiet(rejected(released));
    }
  }

  for (const type of [WritableStream, WritableStreamDefaultWriter]) internal.define(type.name, internal.tag(type));
}
