// crypto.subtle: digests and HMAC.
(host, internal) => {
  'use strict';

  const hashes = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];
  const usable = ['sign', 'verify'];
  const create = Symbol('create');

  const fail = (name, message) => { throw new DOMException(message, name); };

  const textOf = (algorithm) => `${(typeof algorithm === 'object' && algorithm !== null ? algorithm.name : algorithm) ?? ''}`;
  const hashOf = (algorithm) => {
    const name = textOf(algorithm).toUpperCase();
    if (hashes.includes(name)) return name;
    return fail('NotSupportedError', `the hash ${internal.quote(textOf(algorithm))} is not supported; there are ${hashes.join(', ')}`);
  };
  const mustBeHMAC = (algorithm) => {
    if (textOf(algorithm).toUpperCase() === 'HMAC') return;
    fail('NotSupportedError', `the algorithm ${internal.quote(textOf(algorithm))} is not supported for keys; there is HMAC`);
  };
  const bytesOf = (data, method) => {
    const bytes = internal.bytesOf(data);
    if (bytes !== undefined) return bytes;
    throw new TypeError(`crypto.subtle.${method} takes bytes, not ${internal.inspect(data, 0)}; new TextEncoder().encode(text) makes them`);
  };

  class CryptoKey {
    #bytes;
    #about;

    constructor(key, bytes, about) {
      if (key !== create) throw new TypeError('Illegal constructor: use crypto.subtle.importKey');
      this.#bytes = bytes;
      this.#about = about;
    }
    get type() { return 'secret'; }
    get extractable() { return this.#about.extractable; }
    get algorithm() { return this.#about.algorithm; }
    get usages() { return this.#about.usages; }

    static {
      // secretOf returns the bytes and the hash of a key that may be used in this way.
      internal.secretOf = (key, usage) => {
        if (typeof key !== 'object' || key === null || !(#about in key)) throw new TypeError(`crypto.subtle.${usage} takes a CryptoKey, not ${internal.inspect(key, 0)}`);
        if (!key.#about.usages.includes(usage)) fail('InvalidAccessError', `the key may not be used to ${usage}: importKey got the usages ${key.#about.usages.join(', ')}`);
        return [key.#bytes, key.#about.algorithm.hash.name];
      };
    }
  }

  const usagesOf = (given) => {
    const usages = Array.from(given);
    const wrong = usages.find((usage) => !usable.includes(usage));
    if (wrong !== undefined) fail('SyntaxError', `a key of HMAC cannot be used to ${wrong}; there are ${usable.join(' and ')}`);
    if (usages.length === 0) fail('SyntaxError', `a key needs usages: ${usable.join(' or ')}`);
    return Object.freeze(usable.filter((usage) => usages.includes(usage)));
  };

  const equal = (a, b) => {
    let difference = a.length ^ b.length;
    for (let i = 0; i < Math.min(a.length, b.length); i++) difference |= a[i] ^ b[i];
    return difference === 0;
  };

  const subtle = {
    async digest(algorithm, data) {
      const name = hashOf(algorithm);
      return (await host.digest(name, bytesOf(data, 'digest'))).buffer;
    },

    async importKey(format, data, algorithm, extractable, usages) {
      if (format !== 'raw') fail('NotSupportedError', `keys of the format ${internal.quote(`${format}`)} are not supported; there is raw`);
      mustBeHMAC(algorithm);
      const hash = hashOf(algorithm.hash);
      const bytes = bytesOf(data, 'importKey').slice();
      if (bytes.length === 0) fail('DataError', 'a key of HMAC has at least one byte');
      const length = bytes.length * 8;
      if ((algorithm.length ?? length) !== length) fail('DataError', `the key has ${length} bits, not ${algorithm.length}`);
      const about = { name: 'HMAC', length, hash: Object.freeze({ name: hash }) };
      return new CryptoKey(create, bytes, { algorithm: Object.freeze(about), extractable: Boolean(extractable), usages: usagesOf(usages) });
    },

    async sign(algorithm, key, data) {
      mustBeHMAC(algorithm);
      const [secret, hash] = internal.secretOf(key, 'sign');
      return (await host.hmac(hash, secret, bytesOf(data, 'sign'))).buffer;
    },

    async verify(algorithm, key, signature, data) {
      mustBeHMAC(algorithm);
      const [secret, hash] = internal.secretOf(key, 'verify');
      const given = bytesOf(signature, 'verify').slice();
      return equal(given, await host.hmac(hash, secret, bytesOf(data, 'verify')));
    },
  };
  Object.defineProperty(subtle, Symbol.toStringTag, { value: 'SubtleCrypto' });
  internal.views.set(CryptoKey, (key, seen) => ['type', 'extractable', 'algorithm', 'usages'].map((name) => `${name}: ${internal.inner(key[name], seen)}`));
  internal.define('CryptoKey', internal.tag(CryptoKey));
  Object.defineProperty(crypto, 'subtle', { value: subtle, enumerable: true });
}
