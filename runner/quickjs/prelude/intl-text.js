// Intl.Collator, Intl.ListFormat and Intl.RelativeTimeFormat.
(host, internal) => {
  'use strict';

  const { option, optionsOf, only, resolveLocale, stateFor, formatted, partsOf, stringify } = internal;

  // keyword is the value of a keyword of a locale that is true or false.
  const flag = (given, keyword) => (given !== undefined ? Boolean(given) : keyword !== undefined ? keyword !== 'false' : undefined);

  const createCollator = (locales, given) => {
    const { locale, keywords } = resolveLocale(locales);
    const options = given === undefined ? optionsOf(given) : Object(optionsOf(given));
    const usage = option(options, 'usage', ['sort', 'search'], 'sort');
    if (usage !== 'sort') throw new RangeError('the usage "search" of Intl.Collator is not supported: only sort is');
    option(options, 'localeMatcher', ['lookup', 'best fit']);
    only('collation', option(options, 'collation') ?? (keywords.co || undefined), 'default');
    const numeric = flag(options.numeric, keywords.kn) ?? false;
    const first = option(options, 'caseFirst', ['upper', 'lower', 'false']);
    const caseFirst = first ?? (['upper', 'lower'].includes(keywords.kf) ? keywords.kf : 'false');
    const sensitivity = option(options, 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant');
    const ignorePunctuation = flag(options.ignorePunctuation) ?? false;
    const all = { usage, sensitivity, ignorePunctuation, numeric, caseFirst };
    const used = { kf: first === undefined && caseFirst !== 'false' ? caseFirst : undefined, kn: options.numeric === undefined && numeric ? '' : undefined };
    return stateFor('collator', locale, all, { locale: internal.extended(locale, used), usage, sensitivity, ignorePunctuation, collation: 'default', numeric, caseFirst });
  };

  const compared = (settings, a, b) => {
    const order = host.compareTexts(settings, a, b);
    if (order === undefined) throw new RangeError('texts of more than 1 MiB cannot be compared by the rules of a language; compare them with < and >');
    return order;
  };

  internal.constructor402('Collator', createCollator, {
    callable: true,
    methods: {},
    getters: {
      compare: (state, a, b) => compared(state.settings, `${a}`, `${b}`),
    },
  });

  const standard = createCollator();

  // compareIn is localeCompare of strings.
  internal.compareIn = (a, b, locales, options) => {
    const settings = locales === undefined && options === undefined ? standard.settings : internal.settingsFor('order', locales, options, createCollator);
    return compared(settings, a, b);
  };

  const mostItems = 10000;

  // textsOf reads the list, of strings only.
  const textsOf = (list) => {
    if (list === undefined) return stringify([]);
    const all = [];
    for (const item of list) {
      if (typeof item !== 'string') throw new TypeError('Iterable yielded a non-String value');
      if (all.length === mostItems) throw new RangeError(`Intl.ListFormat formats at most ${mostItems} texts at once`);
      all.push(item);
    }
    return stringify(all);
  };

  internal.constructor402('ListFormat', (locales, given) => {
    const { locale } = resolveLocale(locales);
    const options = optionsOf(given);
    option(options, 'localeMatcher', ['lookup', 'best fit']);
    const type = option(options, 'type', ['conjunction', 'disjunction', 'unit'], 'conjunction');
    const style = option(options, 'style', ['long', 'short', 'narrow'], 'long');
    return stateFor('list', locale, { type, style }, { locale, type, style });
  }, {
    methods: {
      format: (state, list) => formatted(state.settings, textsOf(list), 'the list'),
      formatToParts: (state, list) => partsOf(state.settings, textsOf(list), 'the list'),
    },
  });

  const relativeUnits = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];
  const relative = (value, given) => {
    const number = Number(value);
    const unit = `${given}`.replace(/s$/, '');
    if (!relativeUnits.includes(unit)) throw new RangeError(`Invalid unit argument for format() '${`${given}`.slice(0, 100)}'`);
    if (!Number.isFinite(number)) throw new RangeError('Invalid time value');
    return stringify({ value: internal.written(number), unit });
  };

  internal.constructor402('RelativeTimeFormat', (locales, given) => {
    const { locale, keywords } = resolveLocale(locales);
    const options = optionsOf(given);
    option(options, 'localeMatcher', ['lookup', 'best fit']);
    only('numbering system', option(options, 'numberingSystem') ?? (keywords.nu || undefined), 'latn');
    const style = option(options, 'style', ['long', 'short', 'narrow'], 'long');
    const numeric = option(options, 'numeric', ['always', 'auto'], 'always');
    return stateFor('relative', locale, { style, numeric }, { locale, style, numeric, numberingSystem: 'latn' });
  }, {
    methods: {
      format: (state, value, unit) => formatted(state.settings, relative(value, unit)),
      formatToParts: (state, value, unit) => partsOf(state.settings, relative(value, unit)),
    },
  });
}
