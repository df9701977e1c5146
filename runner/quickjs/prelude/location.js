// Parsing of URLs. Text and a base become a record {scheme, username, password, host,
// port, path, query, fragment}. host, query and fragment are null when absent. path
// is a list, or a string for URLs such as mailto:.
(host, internal) => {
  'use strict';

  const { percentEncode, percentSets, parseHost } = internal;
  const ports = { http: '80', https: '443', ws: '80', wss: '443', ftp: '21', file: '' };
  const isSpecial = (scheme) => Object.hasOwn(ports, scheme);
  const isDrive = (text) => /^[a-zA-Z][:|]$/.test(text);
  const startsWithDrive = (text) => /^[a-zA-Z][:|]($|[/\\?#])/.test(text);

  class Invalid extends Error {}
  const fail = () => { throw new Invalid(); };

  const shorten = (record) => {
    const { path } = record;
    if (record.scheme === 'file' && path.length === 1 && /^[a-zA-Z]:$/.test(path[0])) return;
    path.pop();
  };

  // addPath appends the segments of text to a record's path.
  const addPath = (record, text) => {
    const segments = text.split(isSpecial(record.scheme) ? /[/\\]/ : '/');
    segments.forEach((segment, i) => {
      const last = i === segments.length - 1;
      if (/^(\.|%2e)(\.|%2e)$/i.test(segment)) {
        shorten(record);
        if (last) record.path.push('');
      } else if (/^(\.|%2e)$/i.test(segment)) {
        if (last) record.path.push('');
      } else {
        const drive = record.scheme === 'file' && record.path.length === 0 && isDrive(segment);
        record.path.push(drive ? `${segment[0]}:` : percentEncode(segment, percentSets.path));
      }
    });
  };

  // setPath sets the path of a record to the path in text, which starts at the
  // root.
  const setPath = (record, text) => {
    record.path = [];
    if (text === '' && !isSpecial(record.scheme)) return;
    addPath(record, text.replace(isSpecial(record.scheme) ? /^[/\\]/ : /^\//, ''));
  };

  const setPort = (record, text) => {
    if (!/^\d*$/.test(text) || Number(text) > 65535) fail();
    const port = text === '' ? '' : String(Number(text));
    record.port = port === ports[record.scheme] ? '' : port;
  };

  const setHost = (record, text) => {
    if (text === '' && isSpecial(record.scheme)) fail();
    record.host = text === '' ? '' : parseHost(text, isSpecial(record.scheme)) ?? fail();
  };

  // setAuthority parses user:password@host:port and the path after it.
  const setAuthority = (record, text) => {
    const end = text.search(isSpecial(record.scheme) ? /[/\\]/ : /\//);
    const authority = end < 0 ? text : text.slice(0, end);
    const at = authority.lastIndexOf('@');
    if (at >= 0) {
      const [, user, password] = /^([^:]*):?(.*)$/s.exec(authority.slice(0, at));
      record.username = percentEncode(user, percentSets.userinfo);
      record.password = percentEncode(password, percentSets.userinfo);
    }
    const [, name, port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(authority.slice(at + 1)) ?? fail();
    if (name === '' && (at >= 0 || port !== undefined)) fail();
    setHost(record, name);
    setPort(record, port ?? '');
    setPath(record, end < 0 ? '' : text.slice(end));
  };

  const inherit = (record, base) => {
    for (const key of ['username', 'password', 'host', 'port']) record[key] = base[key];
  };

  const setRelative = (record, text, base, hasQuery) => {
    const slash = isSpecial(record.scheme) ? /^[/\\]/ : /^\//;
    if (slash.test(text) && slash.test(text.slice(1))) {
      setAuthority(record, text.slice(2).replace(isSpecial(record.scheme) ? /^[/\\]+/ : /^$/, ''));
      return;
    }
    inherit(record, base);
    if (slash.test(text)) {
      setPath(record, text);
      return;
    }
    record.path = [...base.path];
    if (text === '') {
      if (!hasQuery) record.query = base.query;
      return;
    }
    shorten(record);
    addPath(record, text);
  };

  const setFile = (record, text, base, hasQuery) => {
    record.host = '';
    const slashes = /^[/\\]*/.exec(text)[0].length;
    if (slashes >= 2) {
      const rest = text.slice(2);
      const name = /^[^/\\]*/.exec(rest)[0];
      if (isDrive(name)) {
        setPath(record, `/${rest}`);
        return;
      }
      const parsed = name === '' ? '' : parseHost(name, true) ?? fail();
      record.host = parsed === 'localhost' ? '' : parsed;
      setPath(record, rest.slice(name.length));
    } else if (slashes === 1) {
      setPath(record, '');
      record.path = [];
      if (base) {
        record.host = base.host;
        if (!startsWithDrive(text.slice(1)) && /^[a-zA-Z]:$/.test(base.path[0] ?? '')) record.path = [base.path[0]];
      }
      addPath(record, text.slice(1));
    } else if (base) {
      record.host = base.host;
      if (startsWithDrive(text)) {
        record.path = [];
        addPath(record, text);
        return;
      }
      record.path = [...base.path];
      if (text === '' && !hasQuery) record.query = base.query;
      if (text !== '') {
        shorten(record);
        addPath(record, text);
      }
    } else {
      setPath(record, text);
    }
  };

  const setQuery = (record, text) => {
    record.query = text === null ? null
      : percentEncode(text, isSpecial(record.scheme) ? percentSets.specialQuery : percentSets.query);
  };
  const setFragment = (record, text) => {
    record.fragment = text === null ? null : percentEncode(text, percentSets.fragment);
  };

  // setRest parses everything after the scheme, except query and fragment.
  const setRest = (record, text, base, named, hasQuery) => {
    if (record.scheme === 'file') return setFile(record, text, base?.scheme === 'file' ? base : undefined, hasQuery);
    if (!named) return setRelative(record, text, base, hasQuery);
    if (isSpecial(record.scheme)) {
      if (base?.scheme === record.scheme && !/^[/\\]{2}/.test(text)) return setRelative(record, text, base, hasQuery);
      return setAuthority(record, text.replace(/^[/\\]*/, ''));
    }
    if (text.startsWith('//')) return setAuthority(record, text.slice(2));
    if (text.startsWith('/')) return setPath(record, text);
    record.path = percentEncode(text, percentSets.control);
    return undefined;
  };

  // cut splits text at the first mark. The second part is null without a mark.
  const cut = (text, mark) => {
    const at = text.indexOf(mark);
    return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
  };

  const parse = (input, base) => {
    const text = input.toWellFormed().replace(/^[\x00-\x20]+|[\x00-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
    const named = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
    if (!named && !base) fail();
    const record = {
      scheme: named ? named[1].toLowerCase() : base.scheme, username: '', password: '', host: null, port: '', path: [], query: null, fragment: null,
    };
    const [front, fragment] = cut(named ? text.slice(named[0].length) : text, '#');
    const [rest, query] = cut(front, '?');
    if (!named && typeof base.path === 'string') {
      if (front !== '' || fragment === null) fail();
      Object.assign(record, base);
    } else {
      setRest(record, rest, base, named, query !== null);
      if (query !== null) setQuery(record, query);
    }
    setFragment(record, fragment);
    return record;
  };

  internal.location = { Invalid, parse, isSpecial, setHost, setPort, setPath, setQuery, setFragment };
}
