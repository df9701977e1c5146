// stdin is the script's standard input. It is read on demand.
(host, internal) => {
  'use strict';

  const waiting = [];
  let returns = false; // a chunk may have had a carriage return
  let failure; // why no more of it can be read

  // next returns the next chunk, or null at the end.
  const next = () => new Promise((resolve, reject) => {
    if (failure) reject(failure);
    else if (host.stdin() === 0) resolve(null);
    else waiting.push({ resolve, reject });
  });

  // feed passes a chunk, or the end and its reason. unix is true if the engine knows
  // that the chunk has no carriage return.
  internal.feed = (chunk, broken, unix) => {
    if (chunk !== undefined) {
      if (unix !== true) returns = true;
      waiting.shift()?.resolve(chunk);
      return;
    }
    if (broken !== undefined) failure = new Error(`standard input cannot be read: ${broken}`);
    for (const { resolve, reject } of waiting.splice(0)) {
      if (failure) reject(failure);
      else resolve(null);
    }
  };

  // text appends in place: a list of chunks would need twice the memory for the
  // join.
  const text = async () => {
    let all = '';
    for (let chunk = await next(); chunk !== null; chunk = await next()) all += chunk;
    return all;
  };

  const plain = (line) => (line.endsWith('\r') ? line.slice(0, -1) : line);

  // To create a promise takes half of the time of a step of for await. So the promises
  // of lines are used again when nothing refers to them any more. Only the engine knows
  // that: host.held returns a bit for each one that is in use. The first is an example
  // that no script sees.
  const size = 31;
  const { held } = host;
  const promises = [];
  const results = [];
  let used = size;
  const renew = (i) => {
    results[i] = { value: undefined, done: false };
    promises[i] = Promise.resolve(results[i]);
  };
  const recycle = () => {
    if (promises.length === 0) for (let i = 0; i < size; i++) renew(i);
    const bits = held(promises, results);
    for (let i = 1; i < size; i++) if (bits & (1 << i)) renew(i);
    used = 1;
  };

  // fill reads until there are lines, or standard input ends.
  const fill = async (state) => {
    while (state.at === state.ready.length) {
      const chunk = await next();
      if (chunk === null) {
        state.ready = state.rest.length > 0 ? [state.rest.join('')] : [];
        state.at = 0;
        state.rest = [];
        return;
      }
      const lines = chunk.split('\n');
      if (chunk !== '' && lines.length === 1) state.rest.push(chunk);
      if (lines.length === 1) continue;
      state.rest.push(lines[0]);
      lines[0] = plain(state.rest.join(''));
      const last = lines.pop();
      state.rest = last === '' ? [] : [last];
      if (returns) for (let i = 1; i < lines.length; i++) lines[i] = plain(lines[i]);
      state.ready = lines;
      state.at = 0;
    }
  };
  const take = (state) => (state.at < state.ready.length ? { value: state.ready[state.at++], done: false } : { value: undefined, done: true });

  // Lines is not an async generator, which would take four times as long.
  class Lines {
    #state = {
      ready: [], // whole lines
      at: 0, // the next one
      rest: [], // pieces of the line whose end has not come: joined once, however long it is
      reading: Promise.resolve(), // one reader at a time
    };

    next() {
      const state = this.#state;
      const { ready } = state;
      if (state.at === ready.length) {
        const taken = state.reading.then(() => fill(state)).then(() => take(state));
        state.reading = taken.then(() => {}, () => {});
        return taken;
      }
      if (held === undefined) return Promise.resolve(take(state));
      if (used === size) recycle();
      const result = results[used];
      result.value = ready[state.at++];
      result.done = false;
      return promises[used++];
    }
    return(value) {
      return Promise.resolve({ value, done: true });
    }
    [Symbol.asyncIterator]() { return this; }
  }

  internal.stdin = Object.freeze({
    text,
    json: async () => internal.parse(await text()),
    lines: () => new Lines(),
  });
  internal.Lines = Lines;
}
