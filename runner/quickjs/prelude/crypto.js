// Random numbers. subtle.js adds crypto.subtle.
(host, internal) => {
  'use strict';

  const most = 65536;
  const integers = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array];

  const getRandomValues = (array) => {
    if (!integers.some((type) => array instanceof type)) {
      throw new DOMException('crypto.getRandomValues takes an array of integers', 'TypeMismatchError');
    }
    if (array.byteLength > most) {
      throw new DOMException(`crypto.getRandomValues gives at most ${most} bytes at once`, 'QuotaExceededError');
    }
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(host.random(array.byteLength));
    return array;
  };

  const randomUUID = () => {
    const bytes = host.random(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40; // version 4
    bytes[8] = (bytes[8] & 0x3f) | 0x80; // variant of RFC 9562
    return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };

  const crypto = { getRandomValues, randomUUID };
  Object.defineProperty(crypto, Symbol.toStringTag, { value: 'Crypto' });
  internal.define('crypto', crypto);
}
