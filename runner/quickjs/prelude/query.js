// URLSearchParams.
(host, internal) => {
  'use strict';

  const { percentEncode, percentDecode, percentSets } = internal;

  const decode = (text) => percentDecode(text.replaceAll('+', ' '));
  const encode = (text) => percentEncode(text, percentSets.form).replaceAll('%20', '+');

  const parse = (text) => text.split('&').filter((part) => part !== '').map((part) => {
    const equals = part.indexOf('=');
    return equals < 0 ? [decode(part), ''] : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))];
  });

  const pairsOf = (init) => {
    if (init === undefined) return [];
    if (typeof init !== 'object' || init === null) return parse(`${init}`.replace(/^\?/, ''));
    if (typeof init[Symbol.iterator] !== 'function') return Object.entries(init).map(([k, v]) => [string(k), string(v)]);
    return Array.from(init, (pair) => {
      const both = [...pair];
      if (both.length !== 2) throw new TypeError('each pair of a query has a name and a value');
      return both.map(string);
    });
  };

  const string = (value) => `${value}`.toWellFormed();

  class URLSearchParams {
    #pairs;
    #changed = () => {};

    constructor(init) { this.#pairs = pairsOf(init); }

    // A URL and its parameters update each other.
    static {
      internal.bindQuery = (params, changed) => { params.#changed = changed; };
      internal.setQuery = (params, text) => { params.#pairs = parse(text); };
    }

    get size() { return this.#pairs.length; }
    append(name, value) {
      this.#pairs.push([string(name), string(value)]);
      this.#changed();
    }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(([k, v]) => k !== string(name) || (value !== undefined && v !== string(value)));
      this.#changed();
    }
    get(name) { return this.#pairs.find(([k]) => k === string(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter(([k]) => k === string(name)).map(([, v]) => v); }
    has(name, value) { return this.#pairs.some(([k, v]) => k === string(name) && (value === undefined || v === string(value))); }
    set(name, value) {
      const first = this.#pairs.findIndex(([k]) => k === string(name));
      if (first < 0) this.#pairs.push([string(name), string(value)]);
      else {
        this.#pairs[first][1] = string(value);
        this.#pairs = this.#pairs.filter(([k], i) => i <= first || k !== string(name));
      }
      this.#changed();
    }
    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#changed();
    }
    forEach(callback, self) {
      for (const [k, v] of this.#pairs) internal.apply(callback, self, [v, k, this]);
    }
    *entries() {
      for (let i = 0; i < this.#pairs.length; i++) yield [...this.#pairs[i]];
    }
    *keys() {
      for (const [k] of this.entries()) yield k;
    }
    *values() {
      for (const [, v] of this.entries()) yield v;
    }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map(([k, v]) => `${encode(k)}=${encode(v)}`).join('&'); }
  }

  internal.define('URLSearchParams', internal.tag(URLSearchParams));
}
