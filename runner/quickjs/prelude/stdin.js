// stdin is the script's standard input. It is read on demand.
(host, internal) => {
  'use strict';

  const waiting = [];
  let failure; // why no more of it can be read

  // next returns the next chunk, or null at the end.
  const next = () => new Promise((resolve, reject) => {
    if (failure) reject(failure);
    else if (host.stdin() === 0) resolve(null);
    else waiting.push({ resolve, reject });
  });

  internal.feed = (chunk, broken) => {
    if (chunk !== undefined) {
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

  // Lines is not an async generator, which would be a third slower.
  class Lines {
    #ready = []; // whole lines, the last one first
    #rest = []; // pieces of the line whose end has not come: joined once, however long it is
    #reading = Promise.resolve(); // one reader at a time

    async #fill() {
      while (this.#ready.length === 0) {
        const chunk = await next();
        if (chunk === null) {
          if (this.#rest.length > 0) this.#ready.push(this.#rest.join(''));
          this.#rest = [];
          return;
        }
        const lines = chunk.split('\n');
        if (chunk !== '' && lines.length === 1) this.#rest.push(chunk);
        if (lines.length === 1) continue;
        this.#rest.push(lines[0]);
        lines[0] = plain(this.#rest.join(''));
        const last = lines.pop();
        this.#rest = last === '' ? [] : [last];
        for (let i = 1; i < lines.length; i++) lines[i] = plain(lines[i]);
        this.#ready = lines.reverse();
      }
    }
    #take() {
      return this.#ready.length > 0 ? { value: this.#ready.pop(), done: false } : { value: undefined, done: true };
    }
    next() {
      if (this.#ready.length > 0) return Promise.resolve(this.#take());
      const taken = this.#reading.then(() => this.#fill()).then(() => this.#take());
      this.#reading = taken.then(() => {}, () => {});
      return taken;
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
