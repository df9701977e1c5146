// Dates in local time. The engine asks for the offset of a local time as if it were UTC, so
// that it is wrong for hours around a change of the offset. This part converts local times
// itself; from UTC to local time the engine is right.
(host, internal) => {
  'use strict';

  const { apply, uncurry } = internal;
  const { defineProperty } = Object;
  const { construct } = Reflect;
  const Native = Date;
  const { prototype } = Native;
  const time = uncurry(prototype.getTime);
  const setTime = uncurry(prototype.setTime);
  const offset = uncurry(prototype.getTimezoneOffset);
  const minute = 60_000;

  // utc returns the time of a local time, as ECMA-262 says: the first of a time that occurs
  // twice, and a time that is skipped as if the offset had not changed.
  const utc = (local) => (Number.isNaN(local) ? local : local - Math.trunc(host.localOffset(Math.floor(local / 1000)) / 60) * minute);

  // parse reads a text. A text without a zone means two times in two zones.
  const ordinal = /^\s*[+-]?\d{4,6}-\d{3}\s*$/; // a day of a year, which Node does not read
  const small = /^\s*[+-]?\d{4,6}-\d\d-\d\dt[\d:.,+-]*z?\s*$/; // in small letters
  const parseNative = Native.parse;
  const read = (text) => {
    if (ordinal.test(text)) return NaN;
    const given = small.test(text) ? text.toUpperCase() : text;
    host.assumeZone(0);
    const local = parseNative(given);
    host.assumeZone(1);
    const other = parseNative(given);
    host.assumeZone(-1);
    return local === other ? local : utc(local);
  };

  // primitiveOf converts an object as Date does, with the hint default.
  const primitiveOf = (given) => {
    if ((typeof given !== 'object' || given === null) && typeof given !== 'function') return given;
    const convert = given[Symbol.toPrimitive];
    if (convert !== undefined && convert !== null) return apply(convert, given, ['default']);
    for (const name of ['valueOf', 'toString']) {
      const primitive = typeof given[name] === 'function' ? given[name]() : given;
      if ((typeof primitive !== 'object' || primitive === null) && typeof primitive !== 'function') return primitive;
    }
    throw new TypeError('Cannot convert object to primitive value');
  };

  const valueOf = (given) => {
    if (typeof given === 'object' && given !== null && host.className(given) === 'Date') return time(given);
    const primitive = primitiveOf(given);
    return typeof primitive === 'string' ? read(primitive) : Number(primitive);
  };

  // made is the constructor Date.
  const made = function Date(...given) {
    if (new.target === undefined) return `${new Native()}`;
    switch (given.length) {
      case 0: return construct(Native, [], new.target);
      case 1: return construct(Native, [valueOf(given[0])], new.target);
      default: return construct(Native, [utc(Native.UTC(...given))], new.target);
    }
  };
  const method = (owner, name, length, value) => {
    defineProperty(value, 'name', { value: name, configurable: true });
    defineProperty(value, 'length', { value: length, configurable: true });
    defineProperty(owner, name, { value, writable: true, enumerable: false, configurable: true });
  };
  defineProperty(made, 'length', { value: 7, configurable: true });
  defineProperty(made, 'prototype', { value: prototype, writable: false, enumerable: false, configurable: false });
  defineProperty(prototype, 'constructor', { value: made, writable: true, enumerable: false, configurable: true });
  method(made, 'now', 0, Native.now);
  method(made, 'UTC', 7, Native.UTC);
  method(made, 'parse', 1, { parse: (text) => read(`${text}`) }.parse);
  internal.define('Date', made);

  // A method such as setHours changes the date whose time in UTC is the local time.
  const setter = (name, setUTC) => {
    method(prototype, name, setUTC.length, { set(...given) {
      const at = time(this);
      const shadow = new Native(at - offset(this) * minute);
      return setTime(this, utc(apply(setUTC, shadow, given)));
    } }.set);
  };
  for (const part of ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds']) setter(`set${part}`, prototype[`setUTC${part}`]);
  if (prototype.setYear !== undefined) {
    const { setUTCFullYear } = prototype;
    setter('setYear', { setYear(given) {
      const year = Number(given);
      const whole = Math.trunc(year);
      return Number.isNaN(year) ? setTime(this, NaN) : apply(setUTCFullYear, this, [whole >= 0 && whole <= 99 ? 1900 + whole : year]);
    } }.setYear);
  }
}
