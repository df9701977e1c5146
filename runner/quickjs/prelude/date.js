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
  const utc = (local) => (Number.isNaN(local) ? local : local - host.localOffset(Math.floor(local / 1000)) * 1000);

  // The engine counts the offset in whole minutes. Offsets have seconds only before 1972, when
  // the last zone changed: its methods get a time that is so many seconds later or earlier.
  const wholeMinutes = Native.UTC(1972, 0, 8);
  const exact = (at) => (at < wholeMinutes ? at + host.zoneOffset(Math.floor(at / 1000)) * 1000 + offset(new Native(at)) * minute : at);

  // parse reads a text. A text without a zone means two times in two zones.
  const iso = /^\s*[+-]?\d{4,6}-\d\d(?:-\d\d)?t\d[\d:.+-]*z?\s*$/i;
  const month = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/i;
  // Texts that the engine reads and Node does not.
  const refused = [
    /^\s*[+-]?\d{4,6}-\d{3}\s*$/, // the day of a year
    /^\s*[+-]?\d{4,6}[-/](?:0+(?!\d)|\d+[-/](?:0+|3[2-9]|[4-9]\d)(?!\d))/, /^\s*(?:0+|\d+[-/]0+)[-/]/, // no such month or day
    /^\s*0+\s+[a-z]|[a-z]\s+(?:0+|3[2-9]|4\d)\s+\d{4}/i,
    /:\d\d,\d/,
    /^\s*[+-]?\d{4,6}-\d\d-\d\d(?:[+-]|t[\d:.]+[+-]\d{1,3}\s*$)/i,
    /\b(?:CES?T|WES?T|EES?T|BST|MSK)\b/i, /:\d\d(?:GMT|UTC)/i,
    /^\s*t\d/i,
  ];
  // They are dates only with the name of a month.
  const named = /^\D*\d{1,2}[\s/-](?:3[2-9]|[4-9]\d|\d{3,})\s*$|^\s*[a-z]+\d{4}-\d/i;
  const plain = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/; // most texts
  const zoned = /(:\d\d(?:\.\d+)?)([+-])(\d{1,2})(?::?(\d\d))?\s*$/; // at the end of a time of day
  const parseNative = Native.parse;
  const read = (text) => {
    if (!plain.test(text) && (refused.some((form) => form.test(text)) || (named.test(text) && !month.test(text)))) return NaN;
    const given = iso.test(text) ? text.toUpperCase()
      : text.replace(zoned, (all, at, sign, hours, minutes = '00') => `${at} ${sign}${hours.padStart(2, '0')}${minutes}`);
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
    return typeof primitive === 'string' ? read(primitive) : +primitive; // a bigint is an error
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
      const shadow = new Native(exact(at) - offset(this) * minute);
      return setTime(this, utc(apply(setUTC, shadow, given)));
    } }.set);
  };
  for (const part of ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds']) setter(`set${part}`, prototype[`setUTC${part}`]);
  for (const name of ['getFullYear', 'getYear', 'getMonth', 'getDate', 'getDay', 'getHours', 'getMinutes', 'getSeconds', 'toString', 'toDateString', 'toTimeString']) {
    const native = prototype[name];
    method(prototype, name, 0, { get() {
      const at = time(this);
      return at < wholeMinutes ? apply(native, new Native(exact(at)), []) : apply(native, this, []);
    } }.get);
  }
  if (prototype.setYear !== undefined) {
    const { setUTCFullYear } = prototype;
    setter('setYear', { setYear(given) {
      const year = Number(given);
      const whole = Math.trunc(year);
      return Number.isNaN(year) ? setTime(this, NaN) : apply(setUTCFullYear, this, [whole >= 0 && whole <= 99 ? 1900 + whole : year]);
    } }.setYear);
  }
}
