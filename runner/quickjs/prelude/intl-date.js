// Intl.DateTimeFormat.
(host, internal) => {
  'use strict';

  const { option, numberOption, optionsOf, only, resolveLocale, formatted, partsOf, stringify, uncurry } = internal;
  const timeOf = uncurry(Date.prototype.getTime);
  const { now } = Date;

  const names = ['narrow', 'short', 'long'];
  const digits = ['2-digit', 'numeric'];
  const fields = {
    weekday: names, era: names, year: digits, month: [...digits, ...names], day: digits, dayPeriod: names, hour: digits, minute: digits,
    second: digits, fractionalSecondDigits: undefined, timeZoneName: ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric'],
  };
  const dateFields = ['weekday', 'year', 'month', 'day'];
  const timeFields = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];
  const styles = ['full', 'long', 'medium', 'short'];

  const zoneOf = (value) => (value === undefined ? undefined : `${value}`);

  const readFields = (options) => {
    const read = {};
    for (const name of Object.keys(fields)) {
      const value = name === 'fractionalSecondDigits' ? numberOption(options, name, 1, 3) : option(options, name, fields[name]);
      if (value !== undefined) read[name] = value;
    }
    if (/Generic$/.test(read.timeZoneName ?? '')) {
      throw new RangeError(`the timeZoneName ${internal.quote(read.timeZoneName)} is not supported: short, long, shortOffset and longOffset are`);
    }
    return read;
  };

  // complete adds the fields that a format has if none is chosen: CreateDateTimeFormat.
  const complete = (read, required, defaults) => {
    const chosen = (list) => list.some((name) => read[name] !== undefined);
    if (required !== 'time' && chosen(dateFields) || required !== 'date' && chosen(timeFields)) return read;
    const added = { ...read };
    if (defaults !== 'time') Object.assign(added, { year: 'numeric', month: 'numeric', day: 'numeric' });
    if (defaults !== 'date') Object.assign(added, { hour: 'numeric', minute: 'numeric', second: 'numeric' });
    return added;
  };

  const create = (locales, given, required = 'any', defaults = 'date') => {
    const { locale, keywords } = resolveLocale(locales);
    const options = given === undefined ? optionsOf(given) : Object(optionsOf(given));
    option(options, 'localeMatcher', ['lookup', 'best fit']);
    only('calendar', option(options, 'calendar') ?? (keywords.ca || undefined), 'gregory');
    only('numbering system', option(options, 'numberingSystem') ?? (keywords.nu || undefined), 'latn');
    const hour12 = options.hour12 === undefined ? undefined : Boolean(options.hour12);
    let hourCycle = option(options, 'hourCycle', ['h11', 'h12', 'h23', 'h24']);
    let hc; // of the locale
    if (hour12 !== undefined) hourCycle = undefined;
    else if (/^h(11|12|23|24)$/.test(keywords.hc) && (hourCycle ?? keywords.hc) === keywords.hc) hourCycle = hc = keywords.hc;
    const timeZone = zoneOf(options.timeZone);
    const read = readFields(options);
    option(options, 'formatMatcher', ['basic', 'best fit']);
    const dateStyle = option(options, 'dateStyle', styles);
    const timeStyle = option(options, 'timeStyle', styles);
    let chosen = { dateStyle, timeStyle };
    if (dateStyle === undefined && timeStyle === undefined) {
      chosen = complete(read, required, defaults);
    } else {
      const [field] = Object.keys(read);
      if (field !== undefined) throw new TypeError(`Can't set option ${field} when ${dateStyle === undefined ? 'timeStyle' : 'dateStyle'} is used`);
      if (required === 'date' && timeStyle !== undefined) throw new TypeError('Invalid option : timeStyle');
      if (required === 'time' && dateStyle !== undefined) throw new TypeError('Invalid option : dateStyle');
    }
    const asked = { timeZone, hour12, hourCycle, ...chosen };
    const shown = internal.resolvedBy(stringify({ kind: 'date', locale, options: asked }));
    const final = { ...asked, timeZone: shown.timeZone };
    return { settings: stringify({ kind: 'date', locale, options: final }), shown: { locale: internal.extended(locale, { hc }), calendar: 'gregory', numberingSystem: 'latn', ...shown } };
  };

  const timeClip = (value) => {
    const time = value === undefined ? now() : Number(value);
    if (!(Math.abs(time) <= 8.64e15)) throw new RangeError('Invalid time value');
    return `${Math.trunc(time) + 0}`;
  };

  internal.constructor402('DateTimeFormat', create, {
    callable: true,
    methods: {
      formatToParts: (state, date) => partsOf(state.settings, timeClip(date)),
    },
    getters: {
      format: (state, date) => formatted(state.settings, timeClip(date)),
    },
  });

  // formatDate is toLocaleString of dates and its relatives.
  internal.formatDate = (date, locales, options, required, defaults) => {
    const time = timeOf(date);
    if (Number.isNaN(time)) return 'Invalid Date';
    const settings = internal.settingsFor(`${required} ${defaults}`, locales, options, (l, o) => create(l, o, required, defaults));
    return formatted(settings, `${time}`);
  };
}
