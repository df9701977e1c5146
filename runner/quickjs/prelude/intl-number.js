// Intl.NumberFormat and Intl.PluralRules.
(host, internal) => {
  'use strict';

  const { option, numberOption, optionsOf, only, resolveLocale, stateFor, formatted, partsOf, stringify } = internal;

  const roundingModes = ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'];
  const increments = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];
  const mostFraction = 100;

  // digitOptions reads the options of rounding, which are the same for numbers and for
  // plural rules: SetNumberFormatDigitOptions of ECMA-402.
  const digitOptions = (options, leastFraction, mostFractionDefault, compact) => {
    const minimumIntegerDigits = numberOption(options, 'minimumIntegerDigits', 1, 21, 1);
    let { minimumFractionDigits: mnfd, maximumFractionDigits: mxfd, minimumSignificantDigits: mnsd, maximumSignificantDigits: mxsd } = options;
    const roundingIncrement = numberOption(options, 'roundingIncrement', 1, 5000, 1);
    if (!increments.includes(roundingIncrement)) throw new RangeError('roundingIncrement value is out of range.');
    const roundingMode = option(options, 'roundingMode', roundingModes, 'halfExpand');
    let roundingPriority = option(options, 'roundingPriority', ['auto', 'morePrecision', 'lessPrecision'], 'auto');
    const trailingZeroDisplay = option(options, 'trailingZeroDisplay', ['auto', 'stripIfInteger'], 'auto');
    if (roundingIncrement !== 1) mostFractionDefault = leastFraction;
    const hasSignificant = mnsd !== undefined || mxsd !== undefined;
    const hasFraction = mnfd !== undefined || mxfd !== undefined;
    let [needSignificant, needFraction] = [true, true];
    if (roundingPriority === 'auto') {
      needSignificant = hasSignificant;
      if (needSignificant || (!hasFraction && compact)) needFraction = false;
    }
    const digits = { minimumIntegerDigits };
    if (needSignificant) {
      mnsd = hasSignificant ? numberOption({ minimumSignificantDigits: mnsd }, 'minimumSignificantDigits', 1, 21, 1) : 1;
      mxsd = hasSignificant ? numberOption({ maximumSignificantDigits: mxsd }, 'maximumSignificantDigits', mnsd, 21, 21) : 21;
    }
    if (needFraction) {
      if (hasFraction) {
        mnfd = numberOption({ minimumFractionDigits: mnfd }, 'minimumFractionDigits', 0, mostFraction, undefined);
        mxfd = numberOption({ maximumFractionDigits: mxfd }, 'maximumFractionDigits', 0, mostFraction, undefined);
        if (mnfd === undefined) mnfd = Math.min(leastFraction, mxfd);
        else if (mxfd === undefined) mxfd = Math.max(mostFractionDefault, mnfd);
        else if (mnfd > mxfd) throw new RangeError('maximumFractionDigits value is out of range.');
      } else {
        [mnfd, mxfd] = [leastFraction, mostFractionDefault];
      }
    }
    if (!needSignificant && !needFraction) {
      [mnfd, mxfd, mnsd, mxsd, roundingPriority] = [0, 0, 1, 2, 'morePrecision'];
      [needSignificant, needFraction] = [true, true];
    }
    if (needFraction) Object.assign(digits, { minimumFractionDigits: mnfd, maximumFractionDigits: mxfd });
    if (needSignificant) Object.assign(digits, { minimumSignificantDigits: mnsd, maximumSignificantDigits: mxsd });
    if (roundingIncrement !== 1) {
      if (needSignificant) throw new TypeError('roundingIncrement value is invalid.');
      if (mxfd !== mnfd) throw new RangeError('roundingIncrement value is out of range.');
    }
    return { digits, rounding: { roundingIncrement, roundingMode, roundingPriority, trailingZeroDisplay } };
  };

  const units = ['acre', 'bit', 'byte', 'celsius', 'centimeter', 'day', 'degree', 'fahrenheit', 'fluid-ounce', 'foot', 'gallon', 'gigabit',
    'gigabyte', 'gram', 'hectare', 'hour', 'inch', 'kilobit', 'kilobyte', 'kilogram', 'kilometer', 'liter', 'megabit', 'megabyte', 'meter',
    'microsecond', 'mile', 'mile-scandinavian', 'milliliter', 'millimeter', 'millisecond', 'minute', 'month', 'nanosecond', 'ounce', 'percent',
    'petabyte', 'pound', 'second', 'stone', 'terabit', 'terabyte', 'week', 'yard', 'year'];
  const isUnit = (unit) => units.includes(unit) || /^(.+?)-per-(.+)$/.test(unit) && unit.split('-per-').length === 2 && unit.split('-per-').every((u) => units.includes(u));

  // styleOptions reads what is formatted: SetNumberFormatUnitOptions.
  const styleOptions = (options) => {
    const style = option(options, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal');
    const currency = option(options, 'currency');
    if (currency === undefined ? style === 'currency' : !/^[a-z]{3}$/i.test(currency)) {
      if (currency === undefined) throw new TypeError('Currency code is required with currency style.');
      throw new RangeError(`Invalid currency code : ${currency.slice(0, 100)}`);
    }
    const currencyDisplay = option(options, 'currencyDisplay', ['code', 'symbol', 'narrowSymbol', 'name'], 'symbol');
    const currencySign = option(options, 'currencySign', ['standard', 'accounting'], 'standard');
    const unit = option(options, 'unit');
    if (unit === undefined ? style === 'unit' : !isUnit(unit)) {
      if (unit === undefined) throw new TypeError('Unit is required with unit style.');
      throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${unit.slice(0, 100)}'`);
    }
    const unitDisplay = option(options, 'unitDisplay', ['short', 'narrow', 'long'], 'short');
    if (style === 'currency') return { style, currency: currency.toUpperCase(), currencyDisplay, currencySign };
    return style === 'unit' ? { style, unit, unitDisplay } : { style };
  };

  const groupingOption = (options, compact) => {
    const value = options.useGrouping;
    const standard = compact ? 'min2' : 'auto';
    if (value === undefined || value === 'true' || value === 'false') return standard;
    if (value === true) return 'always';
    if (value === false || value === null || value === 0 || value === '') return false;
    return option({ useGrouping: value }, 'useGrouping', ['min2', 'auto', 'always']);
  };

  const create = (locales, given) => {
    const { locale, keywords } = resolveLocale(locales);
    const options = given === undefined ? optionsOf(given) : Object(optionsOf(given));
    option(options, 'localeMatcher', ['lookup', 'best fit']);
    only('numbering system', option(options, 'numberingSystem') ?? (keywords.nu || undefined), 'latn');
    const style = styleOptions(options);
    const notation = option(options, 'notation', ['standard', 'scientific', 'engineering', 'compact'], 'standard');
    const compact = notation === 'compact';
    let [least, most] = [0, style.style === 'percent' ? 0 : 3];
    if (style.style === 'currency' && notation === 'standard') least = most = internal.resolvedBy(stringify({ kind: 'currency', locale, options: style })).digits;
    const { digits, rounding } = digitOptions(options, least, most, compact);
    const compactDisplay = option(options, 'compactDisplay', ['short', 'long'], 'short');
    const useGrouping = groupingOption(options, compact);
    const signDisplay = option(options, 'signDisplay', ['auto', 'never', 'always', 'exceptZero', 'negative'], 'auto');
    const all = { ...style, ...digits, useGrouping, notation, ...(compact ? { compactDisplay } : {}), signDisplay, ...rounding };
    return stateFor('number', locale, { ...all, useGrouping: useGrouping || '' }, { locale, numberingSystem: 'latn', ...all });
  };

  // decimal matches what the host reads exactly. Other texts are converted to numbers.
  const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,4})?$/i;

  // numeric is ToIntlMathematicalValue: a number, or text with all digits.
  const numeric = (value) => {
    if (typeof value === 'number') return value;
    let primitive = value;
    if (typeof value === 'object' && value !== null || typeof value === 'function') {
      primitive = typeof value[Symbol.toPrimitive] === 'function' ? value[Symbol.toPrimitive]('number') : value.valueOf();
      if (typeof primitive === 'object' && primitive !== null) primitive = value.toString();
    }
    if (typeof primitive === 'bigint') return `${primitive}`;
    if (typeof primitive !== 'string') return Number(primitive);
    const text = primitive.trim();
    const number = Number(text);
    return decimal.test(text) && Number.isFinite(number) && !(number === 0 && /[1-9]/.test(text.replace(/e.*/i, ''))) ? text : number;
  };

  // written writes a number for the host, which reads its digits.
  const written = (value) => (Object.is(value, -0) ? '-0' : `${value}`);
  internal.written = written;

  const NumberFormat = internal.constructor402('NumberFormat', create, {
    callable: true,
    methods: {
      formatToParts: (state, value) => partsOf(state.settings, written(numeric(value))),
    },
    getters: {
      format: (state, value) => formatted(state.settings, written(numeric(value))),
    },
  });

  // formatNumber is toLocaleString of numbers.
  internal.formatNumber = (value, locales, options) => formatted(internal.settingsFor('number', locales, options, create), written(value));

  internal.constructor402('PluralRules', (locales, given) => {
    const { locale } = resolveLocale(locales);
    const options = optionsOf(given);
    option(options, 'localeMatcher', ['lookup', 'best fit']);
    const type = option(options, 'type', ['cardinal', 'ordinal'], 'cardinal');
    const notation = option(options, 'notation', ['standard', 'scientific', 'engineering', 'compact'], 'standard');
    if (notation !== 'standard') throw new RangeError(`the notation ${internal.quote(notation)} of Intl.PluralRules is not supported: only standard is`);
    const { digits, rounding } = digitOptions(options, 0, 3, false);
    const all = { type, ...digits, ...rounding };
    const state = stateFor('plural', locale, all, {});
    const { pluralCategories } = internal.resolvedBy(state.settings);
    const shown = locale === 'pt-PT' ? locale : locale.split('-')[0]; // rules belong to languages
    state.shown = { locale: shown, type, ...digits, pluralCategories, ...rounding };
    return state;
  }, {
    methods: {
      select: (state, value) => formatted(state.settings, written(Number(value))),
    },
  });
  return NumberFormat;
}
