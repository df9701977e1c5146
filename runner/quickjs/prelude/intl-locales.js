// Lists of locales and options, for the parts of Intl. V8 has all of it, so Deno does
// not run these parts.
(host, internal) => {
  'use strict';

  const { parse, stringify, quote } = internal;
  const { isArray } = Array;
  const mostLocales = 100;
  const fallback = 'en-US';

  // tagsOf returns the tags in a list of locales, as ECMA-402 reads it.
  const tagsOf = (locales) => {
    if (locales === undefined) return [];
    if (typeof locales === 'string') return [locales];
    if (locales === null) throw new TypeError('a locale is a string, not null');
    const list = isArray(locales) ? locales : Array.from(Object(locales));
    if (list.length > mostLocales) throw new RangeError(`a list has at most ${mostLocales} locales`);
    return Array.from(list, (tag) => {
      if (typeof tag !== 'string') throw new TypeError(`a locale is a string, not ${internal.inspect(tag, 0)}`);
      return tag;
    });
  };

  const ask = (tags) => {
    const answer = parse(host.locales(stringify(tags)));
    if (answer.error !== undefined) throw new RangeError(answer.error);
    return answer;
  };

  internal.canonicalLocales = (locales) => ask(tagsOf(locales)).canonical;
  internal.supportedLocales = (locales, options) => {
    if (options !== undefined) option(Object(options), 'localeMatcher', ['lookup', 'best fit']);
    return ask(tagsOf(locales)).supported;
  };

  let warned = false;

  // resolveLocale returns the first locale of a list that is available, with its
  // keywords. If there is none, it returns the default locale and warns once.
  internal.resolveLocale = (locales) => {
    const tags = tagsOf(locales);
    if (tags.length === 0) return { locale: fallback, keywords: {} };
    const found = ask(tags);
    if (found.locale !== '') return { locale: found.locale, keywords: found.keywords };
    if (!warned) {
      warned = true;
      host.write(1, `Warning: the locale ${quote(found.canonical[0])} is not available, so ${fallback} is used; Intl.NumberFormat.supportedLocalesOf(list) tells which ones are\n`);
    }
    return { locale: fallback, keywords: {} };
  };

  // extended adds keywords to a locale, as resolvedOptions shows the ones in use.
  internal.extended = (locale, keywords) => {
    const used = Object.keys(keywords).filter((key) => keywords[key] !== undefined).map((key) => (keywords[key] === '' ? key : `${key}-${keywords[key]}`));
    return used.length === 0 ? locale : `${locale}-u-${used.join('-')}`;
  };

  // option reads an option that is one of several texts.
  const option = (options, name, values, standard) => {
    let value = options[name];
    if (value === undefined) return standard;
    value = `${value}`;
    if (values !== undefined && !values.includes(value)) {
      throw new RangeError(`Value ${value.slice(0, 100)} out of range for Intl options property ${name}`);
    }
    return value;
  };

  // numberOption reads an option that is a whole number.
  const numberOption = (options, name, least, most, standard) => {
    const value = options[name];
    if (value === undefined) return standard;
    const number = Number(value);
    if (!(number >= least && number <= most)) throw new RangeError(`${name} value is out of range.`);
    return Math.floor(number);
  };

  const optionsOf = (options) => {
    if (options === undefined) return Object.create(null);
    if (typeof options !== 'object' && typeof options !== 'function' || options === null) throw new TypeError('options are an object');
    return options;
  };

  // only refuses values of an option that exist in other environments.
  const only = (what, value, supported) => {
    if (value !== undefined && value.toLowerCase() !== supported) {
      throw new RangeError(`the ${what} ${quote(value.slice(0, 100))} is not supported: only ${supported} is`);
    }
  };

  Object.assign(internal, { option, numberOption, optionsOf, only, defaultLocale: fallback });
}
