// The methods of the language that depend on a locale.
(host, internal) => {
  'use strict';

  const { uncurry, formatNumber, formatDate, compareIn, stringify } = internal;
  const numberValue = uncurry(Number.prototype.valueOf);
  const bigintValue = uncurry(BigInt.prototype.valueOf);
  const dateValue = uncurry(Date.prototype.getTime);
  const { defineProperty } = Object;

  // replace gives an object methods with the attributes and the length of the
  // language's own.
  const replace = (object, methods, length = 0) => {
    for (const name of Object.keys(methods)) {
      defineProperty(methods[name], 'length', { value: length, configurable: true });
      defineProperty(object, name, { value: methods[name], writable: true, enumerable: false, configurable: true });
    }
  };

  replace(Number.prototype, { toLocaleString(locales, options) { return formatNumber(numberValue(this), locales, options); } });
  replace(BigInt.prototype, { toLocaleString(locales, options) { return formatNumber(bigintValue(this), locales, options); } });
  replace(Date.prototype, {
    toLocaleString(locales, options) { return formatDate(this, locales, options, 'any', 'all'); },
    toLocaleDateString(locales, options) { return formatDate(this, locales, options, 'date', 'date'); },
    toLocaleTimeString(locales, options) { return formatDate(this, locales, options, 'time', 'time'); },
  });

  // Lists pass locales and options on to their elements.
  const joined = function toLocaleString(locales, options) {
    const list = Object(this);
    const texts = [];
    for (let i = 0; i < list.length; i++) {
      const item = list[i];
      texts.push(item === undefined || item === null ? '' : `${item.toLocaleString(locales, options)}`);
    }
    return texts.join(',');
  };
  replace(Array.prototype, { toLocaleString: joined });
  const typed = Object.getPrototypeOf(Uint8Array.prototype);
  const typedLength = internal.getter(typed, 'length');
  replace(typed, {
    toLocaleString(locales, options) {
      typedLength(this); // throws for other objects
      return internal.apply(joined, this, [locales, options]);
    },
  });

  const text = (value, method) => {
    if (value === undefined || value === null) throw new TypeError(`String.prototype.${method} called on null or undefined`);
    return `${value}`;
  };
  replace(String.prototype, {
    localeCompare(that, locales, options) { return compareIn(text(this, 'localeCompare'), `${that}`, locales, options); },
  }, 1);

  const upper = uncurry(String.prototype.toUpperCase);
  const lower = uncurry(String.prototype.toLowerCase);
  // special are the languages with other rules than the rest.
  const special = ['tr', 'az', 'lt', 'el'];
  const languageOf = (locales) => (locales === undefined ? '' : (internal.canonicalLocales(locales)[0] ?? '').split('-')[0]);
  const cased = (text, locales, plain, way) => {
    const language = languageOf(locales);
    return special.includes(language) ? host.changeCase(text, language, way) : plain(text);
  };
  replace(String.prototype, {
    toLocaleUpperCase(locales) { return cased(text(this, 'toLocaleUpperCase'), locales, upper, 1); },
    toLocaleLowerCase(locales) { return cased(text(this, 'toLocaleLowerCase'), locales, lower, 0); },
  });

  // The name of the time zone in the text of a date.
  const settings = stringify({ kind: 'zone', locale: internal.defaultLocale, options: {} });
  const named = (plain) => {
    const write = uncurry(plain);
    return (date) => {
      const time = dateValue(date);
      return Number.isNaN(time) ? write(date) : `${write(date)} (${internal.formatted(settings, `${time}`)})`;
    };
  };
  const [whole, timeOnly] = [named(Date.prototype.toString), named(Date.prototype.toTimeString)];
  replace(Date.prototype, {
    toString() { return whole(this); },
    toTimeString() { return timeOnly(this); },
  });
}
