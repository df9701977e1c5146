// ReadableStream, without streams of bytes (BYOB) and without tee.
(host, internal) => {
  'use strict';

  const { quiet, capability, rejected, method, begin, markOf, released } = internal.streams;

  // source is the state of a ReadableStream and the methods that its reader uses.
  const source = (given, mark) => {
    const [pull, cancel] = [method(given, 'pull'), method(given, 'cancel')];
    const queue = [];
    const reads = []; // that wait for a chunk
    const closed = capability();
    const at = { state: 'readable', failure: undefined, ending: false, ready: false, pulling: false, again: false };

    const finish = () => {
      at.state = 'closed';
      closed.resolve();
      for (const read of reads.splice(0)) read.resolve({ value: undefined, done: true });
    };
    const fail = (error) => {
      if (at.state !== 'readable') return;
      Object.assign(at, { state: 'errored', failure: error });
      queue.length = 0;
      closed.reject(error);
      for (const read of reads.splice(0)) read.reject(error);
    };
    const open = () => at.state === 'readable' && !at.ending;
    const more = async () => {
      if (!pull || !at.ready || !open() || (reads.length === 0 && queue.length >= mark)) return;
      at.again = at.pulling;
      if (at.pulling) return;
      at.pulling = true;
      try {
        await pull(controller);
      } catch (error) {
        fail(error);
      }
      at.pulling = false;
      if (at.again) more();
    };
    const mustBeOpen = () => {
      if (!open()) throw new TypeError('the stream is closed');
    };
    const controller = Object.freeze({
      get desiredSize() { return at.state === 'errored' ? null : at.state === 'closed' ? 0 : mark - queue.length; },
      enqueue(chunk) {
        mustBeOpen();
        if (reads.length > 0) reads.shift().resolve({ value: chunk, done: false });
        else queue.push(chunk);
        more();
      },
      close() {
        mustBeOpen();
        at.ending = true;
        if (queue.length === 0) finish();
      },
      error: fail,
    });

    const ready = () => {
      at.ready = true;
      more();
    };
    begin(given, controller, ready, fail);

    return {
      at,
      closed: closed.promise,
      async cancel(reason) {
        if (at.state === 'errored') throw at.failure;
        if (at.state === 'closed') return;
        queue.length = 0;
        finish();
        await cancel?.(reason);
      },
      read() {
        if (queue.length > 0) {
          const value = queue.shift();
          if (at.ending && queue.length === 0) finish();
          else more();
          return Promise.resolve({ value, done: false });
        }
        if (at.state === 'closed') return Promise.resolve({ value: undefined, done: true });
        if (at.state === 'errored') return Promise.reject(at.failure);
        const read = Promise.withResolvers();
        reads.push(read);
        more();
        return read.promise;
      },
      release(error) {
        for (const read of reads.splice(0)) read.reject(error);
      },
    };
  };

  async function* chunks(reader, preventCancel) {
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    } finally {
      if (!preventCancel) await reader.cancel();
      reader.releaseLock();
    }
  }
  Object.freeze(chunks.prototype);

  class ReadableStream {
    #source;
    #reader; // that has the lock

    constructor(given = {}, strategy = {}) {
      if (given?.type !== undefined) throw new TypeError('streams of bytes are not supported: leave out the type');
      this.#source = source(given, markOf(strategy));
    }
    static from(iterable) {
      const iterator = (iterable[Symbol.asyncIterator] ?? iterable[Symbol.iterator]).call(iterable);
      return new ReadableStream({
        async pull(controller) {
          const next = await iterator.next();
          if (next.done) controller.close();
          else controller.enqueue(await next.value);
        },
        cancel: async (reason) => { await iterator.return?.(reason); },
      }, { highWaterMark: 0 });
    }

    get locked() { return this.#reader !== undefined; }
    getReader(options) {
      if (options?.mode !== undefined) throw new TypeError('streams of bytes are not supported: leave out the mode');
      return new ReadableStreamDefaultReader(this);
    }
    cancel(reason) {
      return this.locked ? rejected('the stream is locked: cancel its reader') : this.#source.cancel(reason);
    }
    values({ preventCancel = false } = {}) { return chunks(this.getReader(), preventCancel); }
    [Symbol.asyncIterator](options) { return this.values(options); }

    // pipeTo ends with the first failure: of the source, of the target or of the signal.
    async pipeTo(target, { preventClose = false, preventAbort = false, preventCancel = false, signal } = {}) {
      if (this.locked || target.locked) throw new TypeError('the stream or its target is locked');
      const [reader, writer] = [this.getReader(), target.getWriter()];
      const stop = capability();
      let readFailed = false;
      writer.closed.then(() => stop.reject(new TypeError('the target of the stream is closed')), stop.reject);
      if (signal?.aborted) stop.reject(signal.reason);
      signal?.addEventListener('abort', () => stop.reject(signal.reason), { once: true });
      const read = async () => {
        try {
          return await reader.read();
        } catch (error) {
          readFailed = true;
          throw error;
        }
      };
      try {
        for (;;) {
          await Promise.race([writer.ready, stop.promise]);
          const { value, done } = await Promise.race([read(), stop.promise]);
          if (done) break;
          quiet(writer.write(value));
        }
        if (!preventClose) await writer.close();
      } catch (error) {
        if (!preventAbort && (readFailed || signal?.aborted)) await writer.abort(error).catch(() => {});
        if (!preventCancel && !readFailed) await reader.cancel(error).catch(() => {});
        throw error;
      } finally {
        reader.releaseLock();
        writer.releaseLock();
      }
    }
    pipeThrough({ readable, writable }, options) {
      quiet(this.pipeTo(writable, options));
      return readable;
    }

    static {
      // lockReadable gives a stream to a reader; undefined unlocks it.
      internal.lockReadable = (stream, reader) => {
        if (reader !== undefined && stream.locked) throw new TypeError('the stream is locked to a reader');
        stream.#reader = reader;
        return stream.#source;
      };
      internal.views.set(ReadableStream, (stream) => [`locked: ${stream.locked}`, `state: '${stream.#source.at.state}'`, 'supportsBYOB: false']);
    }
  }

  class ReadableStreamDefaultReader {
    #stream;
    #source;
    #closed;

    constructor(stream) {
      this.#source = internal.lockReadable(stream, this);
      this.#stream = stream;
      this.#closed = this.#source.closed;
    }
    get closed() { return this.#closed; }
    read() { return this.#source === undefined ? rejected(released) : this.#source.read(); }
    cancel(reason) { return this.#source === undefined ? rejected(released) : this.#source.cancel(reason); }
    releaseLock() {
      if (this.#source === undefined) return;
      this.#source.release(new TypeError(released));
      internal.lockReadable(this.#stream, undefined);
      this.#source = undefined;
      this.#closed = quiet(rejected(released));
    }
  }

  for (const type of [ReadableStream, ReadableStreamDefaultReader]) internal.define(type.name, internal.tag(type));
}
