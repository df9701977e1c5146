// URL.
(host, internal) => {
  'use strict';

  const { percentEncode, percentSets, bindQuery, setQuery: setParams } = internal;
  const { Invalid, parse, isSpecial, setHost, setPort, setPath, setQuery, setFragment } = internal.location;

  const pathText = (r) => {
    if (typeof r.path === 'string') return r.path;
    return r.path.map((segment) => `/${segment}`).join('');
  };
  const hostText = (r) => (r.host === null ? '' : r.port === '' ? r.host : `${r.host}:${r.port}`);

  const text = (r) => {
    let out = `${r.scheme}:`;
    if (r.host !== null) {
      out += '//';
      if (r.username !== '' || r.password !== '') out += `${r.username}${r.password === '' ? '' : `:${r.password}`}@`;
      out += hostText(r);
    } else if (typeof r.path !== 'string' && r.path.length > 1 && r.path[0] === '') {
      out += '/.';
    }
    return out + pathText(r) + (r.query === null ? '' : `?${r.query}`) + (r.fragment === null ? '' : `#${r.fragment}`);
  };

  // attempt applies a change to a copy, so that a failed change has no effect.
  const attempt = (record, change) => {
    const copy = { ...record };
    try {
      change(copy);
      return copy;
    } catch (error) {
      if (error instanceof Invalid) return record;
      throw error;
    }
  };

  const clean = (value) => `${value}`.toWellFormed().replace(/[\t\n\r]/g, '');
  const hasNoLogin = (r) => r.host === null || r.host === '' || r.scheme === 'file';

  const record = (input, base) => {
    try {
      return parse(`${input}`, base === undefined ? undefined : parse(`${base}`));
    } catch (error) {
      if (error instanceof Invalid) return undefined;
      throw error;
    }
  };

  class URL {
    #record;
    #params = new URLSearchParams();

    constructor(input, base) {
      const parsed = record(input, base);
      if (!parsed) {
        const error = new TypeError(`Invalid URL: ${internal.quote(`${input}`)}`);
        throw Object.assign(error, { code: 'ERR_INVALID_URL', input: `${input}` });
      }
      this.#record = parsed;
      setParams(this.#params, parsed.query ?? '');
      bindQuery(this.#params, () => { this.#record.query = this.#params.toString() || null; });
    }
    static canParse(input, base) { return record(input, base) !== undefined; }
    static parse(input, base) { return URL.canParse(input, base) ? new URL(input, base) : null; }

    get href() { return text(this.#record); }
    set href(value) { this.#record = new URL(value).#record; setParams(this.#params, this.#record.query ?? ''); }
    get origin() {
      const { scheme, path } = this.#record;
      if (scheme === 'blob') {
        const inner = record(path);
        return inner && /^https?$/.test(inner.scheme) ? `${inner.scheme}://${hostText(inner)}` : 'null';
      }
      return isSpecial(scheme) && scheme !== 'file' ? `${scheme}://${hostText(this.#record)}` : 'null';
    }

    get protocol() { return `${this.#record.scheme}:`; }
    set protocol(value) {
      const scheme = /^([a-z][a-z0-9+.-]*)(:|$)/i.exec(clean(value))?.[1].toLowerCase();
      const r = this.#record;
      if (scheme === undefined || isSpecial(scheme) !== isSpecial(r.scheme)) return;
      if (scheme === 'file' && (r.username !== '' || r.password !== '' || r.port !== '')) return;
      if (r.scheme === 'file' && r.host === '') return;
      this.#record = attempt(r, (copy) => {
        copy.scheme = scheme;
        setPort(copy, copy.port);
      });
    }

    get username() { return this.#record.username; }
    set username(value) {
      if (!hasNoLogin(this.#record)) this.#record.username = percentEncode(`${value}`.toWellFormed(), percentSets.userinfo);
    }
    get password() { return this.#record.password; }
    set password(value) {
      if (!hasNoLogin(this.#record)) this.#record.password = percentEncode(`${value}`.toWellFormed(), percentSets.userinfo);
    }

    get host() { return hostText(this.#record); }
    set host(value) {
      if (typeof this.#record.path === 'string') return;
      const [, name, port] = /^(\[[^\]]*\]|[^:/\\?#]*)(?::(\d*))?/.exec(clean(value));
      if (port !== undefined && this.#record.scheme === 'file') return;
      this.#record = attempt(this.#record, (copy) => {
        setHost(copy, name);
        if (port) setPort(copy, port);
      });
    }
    get hostname() { return this.#record.host ?? ''; }
    set hostname(value) {
      if (typeof this.#record.path === 'string') return;
      const name = /^(\[[^\]]*\]|[^/\\?#]*)/.exec(clean(value))[0];
      if (name.includes(':') && !name.startsWith('[')) return;
      this.#record = attempt(this.#record, (copy) => setHost(copy, name));
    }
    get port() { return this.#record.port; }
    set port(value) {
      if (hasNoLogin(this.#record)) return;
      const digits = clean(value);
      const port = digits === '' ? '' : /^\d+/.exec(digits)?.[0];
      if (port !== undefined) this.#record = attempt(this.#record, (copy) => setPort(copy, port));
    }

    get pathname() { return pathText(this.#record); }
    set pathname(value) {
      if (typeof this.#record.path === 'string') return;
      const path = clean(value).replace(/[?#]/g, (c) => (c === '?' ? '%3F' : '%23'));
      this.#record = attempt(this.#record, (copy) => setPath(copy, path));
    }
    get search() { return this.#record.query ? `?${this.#record.query}` : ''; }
    set search(value) {
      const query = clean(value);
      setQuery(this.#record, query === '' ? null : query.replace(/^\?/, '').replaceAll('#', '%23'));
      setParams(this.#params, this.#record.query ?? '');
    }
    get searchParams() { return this.#params; }
    get hash() { return this.#record.fragment ? `#${this.#record.fragment}` : ''; }
    set hash(value) {
      const fragment = clean(value);
      setFragment(this.#record, fragment === '' ? null : fragment.replace(/^#/, ''));
    }

    toString() { return this.href; }
    toJSON() { return this.href; }
  }

  internal.define('URL', internal.tag(URL));

  // console.log shows the parts of a URL although they are accessors.
  const parts = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash'];
  internal.views.set(URL, (url, seen) => parts.map((part) => `${part}: ${internal.inner(url[part], seen)}`));
  internal.views.set(URLSearchParams, (params, seen) =>
    Array.from(params, ([k, v]) => `${internal.inner(k, seen)} => ${internal.inner(v, seen)}`));
}
