// Writes cases.json: expressions, and what Node.js makes of them.
//
//	TZ=UTC LC_ALL=en_US.UTF-8 node cases.mjs > cases.json
import process from 'node:process';

const locales = ['en', 'en-US', 'en-GB', 'de', 'de-AT', 'de-CH', 'fr', 'fr-CA', 'es', 'es-MX', 'pt', 'pt-PT', 'it', 'nl', 'ja', 'zh', 'zh-TW', 'ko', 'pl', 'ru', 'sv'];
const main = ['en-US', 'en-GB', 'de', 'fr', 'es', 'pt', 'ja', 'zh'];
const expressions = [];
const text = (value) => JSON.stringify(value).replace(/"([a-zA-Z0-9]+)":/g, '$1: ');
const add = (expression) => expressions.push(expression);

// Numbers.
for (const l of locales) {
  const of = (options, value) => add(`new Intl.NumberFormat(${text(l)}, ${text(options)}).format(${value})`);
  add(`(1234567.891).toLocaleString(${text(l)})`);
  add(`(-1234.5).toLocaleString(${text(l)})`);
  of({ style: 'currency', currency: 'EUR' }, 1234.5);
  of({ style: 'currency', currency: 'USD' }, -0.5);
  of({ style: 'percent', maximumFractionDigits: 1 }, 0.1234);
  of({ notation: 'compact' }, 1234567);
  of({ notation: 'compact', compactDisplay: 'long' }, 1500000);
  of({ style: 'unit', unit: 'kilometer-per-hour' }, 50);
  of({ style: 'currency', currency: 'JPY', currencyDisplay: 'name' }, 2);
}
for (const l of main) {
  const of = (options, value) => add(`new Intl.NumberFormat(${text(l)}, ${text(options)}).format(${value})`);
  of({ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' }, 3);
  of({ style: 'currency', currency: 'CHF', currencyDisplay: 'code' }, 5);
  of({ style: 'currency', currency: 'EUR', currencySign: 'accounting' }, -5);
  of({ style: 'currency', currency: 'EUR', currencyDisplay: 'name' }, 1);
  of({ style: 'currency', currency: 'BRL', notation: 'compact' }, 98765432);
  of({ style: 'currency', currency: 'EUR', minimumFractionDigits: 0 }, 1234.5);
  of({ style: 'currency', currency: 'KWD' }, 1);
  of({ style: 'currency', currency: 'XXX' }, 1);
  of({ maximumSignificantDigits: 3 }, 123456);
  of({ minimumSignificantDigits: 5 }, 1.5);
  of({ minimumFractionDigits: 2, maximumFractionDigits: 2 }, 1.005);
  of({ minimumIntegerDigits: 5 }, 42);
  of({ useGrouping: false }, 1234567);
  of({ useGrouping: 'min2' }, 1234);
  of({ signDisplay: 'always' }, 5);
  of({ signDisplay: 'exceptZero' }, 0);
  of({ notation: 'scientific' }, 123456);
  of({ notation: 'engineering' }, 0.000123456);
  of({ notation: 'compact' }, 999999);
  of({ notation: 'compact' }, 1234);
  of({ notation: 'compact', maximumFractionDigits: 2 }, -45678901);
  of({ notation: 'compact', compactDisplay: 'long' }, 1000000000);
  of({ style: 'unit', unit: 'megabyte' }, 16);
  of({ style: 'unit', unit: 'liter', unitDisplay: 'long' }, 1);
  of({ style: 'unit', unit: 'day', unitDisplay: 'long' }, 2);
  of({ style: 'unit', unit: 'celsius', unitDisplay: 'narrow' }, -3);
  of({ style: 'unit', unit: 'kilobyte-per-second' }, 12.5);
  of({ style: 'percent' }, 12.5);
  add(`12345678901234567890n.toLocaleString(${text(l)})`);
  add(`new Intl.NumberFormat(${text(l)}, { style: "currency", currency: "EUR" }).formatToParts(-1234.5)`);
  add(`new Intl.NumberFormat(${text(l)}, { notation: "compact" }).formatToParts(12345)`);
  add(`new Intl.NumberFormat(${text(l)}, { style: "percent" }).formatToParts(0.5)`);
  add(`[1234.5, new Date(0), "x", null].toLocaleString(${text(l)}, { timeZone: "UTC" })`);
}
for (const value of ['0', '-0', 'NaN', 'Infinity', '-Infinity', '1e21', '1e-7', '0.5', '1.5', '2.5', '123456789012345680000', '0.1 + 0.2', 'Number.MAX_VALUE', '"12345678901234567890.123"', '"abc"', 'true', 'null', 'undefined', '[5]', 'new Date(5)']) {
  add(`new Intl.NumberFormat("en").format(${value})`);
  add(`new Intl.NumberFormat("de", { maximumFractionDigits: 0 }).format(${value})`);
}
for (const roundingMode of ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven']) {
  add(`[2.5, -2.5, 3.5, 2.4, -2.6].map(new Intl.NumberFormat("en", { maximumFractionDigits: 0, roundingMode: ${text(roundingMode)} }).format)`);
}
add('new Intl.NumberFormat("en", { roundingIncrement: 5, minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(1.23)');
add('new Intl.NumberFormat("en", { trailingZeroDisplay: "stripIfInteger", style: "currency", currency: "USD" }).format(5)');
add('new Intl.NumberFormat("en", { roundingPriority: "morePrecision", maximumFractionDigits: 2, maximumSignificantDigits: 2 }).format(123.456)');
add('new Intl.NumberFormat("en", { roundingPriority: "lessPrecision", maximumFractionDigits: 2, maximumSignificantDigits: 2 }).format(123.456)');
for (const options of [{}, { style: 'currency', currency: 'jpy' }, { style: 'percent' }, { notation: 'compact' }, { maximumSignificantDigits: 3 }, { style: 'unit', unit: 'hour' }]) {
  add(`new Intl.NumberFormat("de", ${text(options)}).resolvedOptions()`);
}
for (const wrong of ['{ style: "currency" }', '{ currency: "EURO", style: "currency" }', '{ style: "unit", unit: "parsec" }', '{ minimumFractionDigits: 101 }', '{ style: "money" }', '{ maximumFractionDigits: 1, minimumFractionDigits: 2 }', '{ notation: "short" }', 'null', '{ useGrouping: "yes" }', '{ minimumIntegerDigits: 0 }', '{ signDisplay: "x" }']) {
  add(`new Intl.NumberFormat("en", ${wrong}).format(1)`);
}

// Dates.
const when = ['Date.UTC(2024, 0, 5, 21, 4, 5, 67)', 'Date.UTC(2023, 6, 14, 0, 0, 0)'];
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Asia/Tokyo', 'Europe/London', 'Australia/Sydney'];
for (const l of locales) {
  const of = (options, at = when[0]) => add(`new Intl.DateTimeFormat(${text(l)}, ${text(options)}).format(${at})`);
  for (const style of ['full', 'long', 'medium', 'short']) of({ dateStyle: style, timeStyle: style, timeZone: 'Europe/Berlin' });
  add(`new Date(${when[0]}).toLocaleString(${text(l)}, { timeZone: "America/New_York" })`);
  add(`new Date(${when[0]}).toLocaleDateString(${text(l)})`);
  add(`new Date(${when[0]}).toLocaleTimeString(${text(l)})`);
  of({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' });
  of({ weekday: 'short', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
  of({ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
}
for (const l of main) {
  const of = (options, at = when[0]) => add(`new Intl.DateTimeFormat(${text(l)}, ${text({ timeZone: 'UTC', ...options })}).format(${at})`);
  for (const options of [
    { weekday: 'long' }, { weekday: 'short' }, { weekday: 'narrow' }, { month: 'long' }, { month: 'short' }, { month: 'narrow' }, { month: 'numeric' }, { month: '2-digit' },
    { year: 'numeric' }, { year: '2-digit' }, { day: 'numeric' }, { day: '2-digit' }, { hour: 'numeric' }, { hour: '2-digit' }, { minute: 'numeric' }, { second: '2-digit' },
    { year: 'numeric', month: 'long' }, { year: 'numeric', month: 'short' }, { year: 'numeric', month: 'numeric' }, { month: 'long', day: 'numeric' }, { month: 'numeric', day: 'numeric' },
    { year: '2-digit', month: '2-digit', day: '2-digit' }, { hour: 'numeric', minute: 'numeric' }, { hour: '2-digit', minute: '2-digit' }, { minute: 'numeric', second: 'numeric' },
    { hour: 'numeric', minute: 'numeric', second: 'numeric', fractionalSecondDigits: 3 }, { second: 'numeric', fractionalSecondDigits: 1 }, { hour: 'numeric', hour12: true }, { hour: 'numeric', hour12: false },
    { hour: 'numeric', minute: 'numeric', hourCycle: 'h23' }, { hour: 'numeric', minute: 'numeric', hourCycle: 'h12' }, { hour: 'numeric', dayPeriod: 'long' }, { hour: 'numeric', dayPeriod: 'short' },
    { era: 'short' }, { era: 'long', year: 'numeric' }, { year: 'numeric', month: 'long', day: 'numeric', era: 'short' }, { weekday: 'long', day: 'numeric' },
    { weekday: 'long', hour: 'numeric' }, { month: 'long', day: 'numeric', hour: 'numeric', minute: 'numeric' }, { month: 'short', year: '2-digit' },
    { timeStyle: 'short', hour12: true }, { timeStyle: 'short', hour12: false }, { timeStyle: 'medium', hourCycle: 'h23' }, { dateStyle: 'medium', timeStyle: 'short', hour12: true },
    { dateStyle: 'full' }, { dateStyle: 'long' }, { dateStyle: 'short' }, { timeStyle: 'full' }, { timeStyle: 'long' }, { dateStyle: 'full', timeStyle: 'short' }, { dateStyle: 'short', timeStyle: 'long' },
  ]) of(options);
  for (const timeZone of zones) for (const timeZoneName of ['short', 'long', 'shortOffset', 'longOffset']) of({ timeZone, timeZoneName, hour: 'numeric', minute: '2-digit' }, when[1]);
  for (const timeZone of zones) of({ timeZone, timeZoneName: 'long', hour: 'numeric' });
  for (const hour of [0, 3, 6, 9, 12, 13, 18, 22]) of({ hour: 'numeric', minute: 'numeric', hour12: true, dayPeriod: 'long' }, `Date.UTC(2024, 1, 29, ${hour})`);
  add(`new Intl.DateTimeFormat(${text(l)}, { dateStyle: "full", timeStyle: "long", timeZone: "Europe/Berlin" }).formatToParts(${when[0]})`);
  add(`new Intl.DateTimeFormat(${text(l)}, { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZone: "UTC" }).formatToParts(${when[0]})`);
  add(`new Intl.DateTimeFormat(${text(l)}, { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short", timeZone: "UTC" }).resolvedOptions()`);
  add(`new Intl.DateTimeFormat(${text(l)}, { timeStyle: "short", timeZone: "UTC" }).resolvedOptions()`);
}
for (const zone of ['utc', 'GMT', 'asia/kolkata', 'US/Pacific', 'Etc/GMT+5', 'America/St_Johns', 'Asia/Kathmandu', 'America/Sao_Paulo', 'Africa/Casablanca', 'Europe/Dublin', 'Europe/Moscow', 'Pacific/Apia', 'Antarctica/Troll', 'Asia/Pyongyang', 'America/Caracas', 'Europe/Kyiv', 'EST', 'America/Phoenix', '+05:30', '-08:00', '+00', 'Mars/Olympus', '', 'Europe/berlin']) {
  add(`new Intl.DateTimeFormat("en-US", { dateStyle: "short", timeStyle: "full", timeZone: ${text(zone)} }).format(${when[0]})`);
  add(`new Intl.DateTimeFormat("en-US", { timeZone: ${text(zone)} }).resolvedOptions().timeZone`);
}
for (const at of ['0', '-1', '8.64e15', '-8.64e15', 'Date.UTC(-1, 0, 1)', 'Date.UTC(1582, 9, 14)', 'Date.UTC(1883, 10, 18, 12)', 'Date.UTC(1950, 6, 1)', 'Date.UTC(1970, 5, 1)', 'Date.UTC(1995, 6, 1)', 'Date.UTC(2037, 6, 1)', 'Date.UTC(2100, 6, 1)', 'Date.UTC(12345, 6, 1)', 'NaN', '1e20', '"2024-01-05"', 'null', 'true', 'new Date(1e12)']) {
  for (const timeZone of ['America/New_York', 'Europe/London']) add(`new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "long", timeZone: ${text(timeZone)} }).format(${at})`);
}
add('new Date(NaN).toLocaleString()');
add('new Date(0).toString()');
add('new Date(0).toTimeString()');
add('new Date(0).toLocaleTimeString("en-US", { timeStyle: "short" })');
add('new Date(0).toLocaleDateString("en-US", { dateStyle: "full" })');
add('new Date(0).toLocaleDateString("en-US", { hour: "numeric" })');
add('new Date(0).toLocaleTimeString("en-US", { weekday: "long" })');
for (const wrong of ['{ dateStyle: "huge" }', '{ dateStyle: "short", hour: "numeric" }', '{ month: "full" }', '{ hourCycle: "h25" }', '{ fractionalSecondDigits: 4 }', 'null']) add(`new Intl.DateTimeFormat("en", ${wrong}).format(0)`);
add('new Date(0).toLocaleDateString("en", { timeStyle: "short" })');
add('new Date(0).toLocaleTimeString("en", { dateStyle: "short" })');

// Words.
for (const l of locales) {
  add(`[0, 1, 2, 3, 5, 11, 21, 1.5, 1000000].map((n) => new Intl.PluralRules(${text(l)}).select(n))`);
  add(`[1, 2, 3, 4, 11, 12, 21, 22, 23, 101].map((n) => new Intl.PluralRules(${text(l)}, { type: "ordinal" }).select(n))`);
  add(`new Intl.RelativeTimeFormat(${text(l)}).format(-3, "day")`);
  add(`new Intl.RelativeTimeFormat(${text(l)}, { numeric: "auto" }).format(1, "day")`);
  add(`new Intl.ListFormat(${text(l)}).format(["a", "b", "c"])`);
}
for (const l of main) {
  for (const unit of ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']) {
    add(`[-2, -1, 0, 1, 2, 5].map((n) => new Intl.RelativeTimeFormat(${text(l)}, { numeric: "auto" }).format(n, ${text(unit)}))`);
    add(`[-1.5, -0, 1000].map((n) => new Intl.RelativeTimeFormat(${text(l)}, { style: "short" }).format(n, ${text(`${unit}s`)}))`);
    add(`new Intl.RelativeTimeFormat(${text(l)}, { style: "narrow" }).formatToParts(-1234, ${text(unit)})`);
  }
  for (const type of ['conjunction', 'disjunction', 'unit']) for (const style of ['long', 'short', 'narrow']) {
    add(`[[], ["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]].map((list) => new Intl.ListFormat(${text(l)}, { type: ${text(type)}, style: ${text(style)} }).format(list))`);
  }
  add(`new Intl.ListFormat(${text(l)}).formatToParts(["a", "b", "c"])`);
  add(`new Intl.PluralRules(${text(l)}).resolvedOptions()`);
}
add('new Intl.ListFormat("es").format(["Juan", "Isabel"])');
add('new Intl.ListFormat("es", { type: "disjunction" }).format(["siete", "ocho"])');
for (const wrong of ['new Intl.RelativeTimeFormat("en").format(1, "fortnight")', 'new Intl.RelativeTimeFormat("en").format(Infinity, "day")', 'Intl.RelativeTimeFormat("en")', 'new Intl.ListFormat("en").format([1])', 'new Intl.ListFormat("en", { type: "x" })', 'new Intl.PluralRules("en", { type: "x" })']) add(wrong);

// Order.
const words = ['zebra', 'Ähre', 'ähnlich', 'Apfel', 'apfel', 'a1', 'a10', 'a2', 'öl', 'Olive', 'résumé', 'resume', 'Résumé', 'straße', 'strasse', 'ñandú', 'nube', 'Zoë', 'zoe', 'côté', 'coté', 'côte', 'cote', '_x', '-x', ' x', '1', '$', 'B-2', 'B1', 'æon', 'łódź', 'lodz', 'ångström', 'ø'];
for (const l of [...locales.filter((l) => !/^(ja|zh|ko)/.test(l))]) add(`${text(words)}.sort(new Intl.Collator(${text(l)}).compare)`);
for (const l of ['ja', 'zh', 'zh-TW', 'ko', 'ru', 'en']) add(`["人", "中", "丁", "亜", "あ", "ア", "か", "が", "きょう", "きよう", "ハハ", "はは", "가", "나", "z", "A", "1", "я", "ё", "а", "е", "张", "李", "王", "北京", "上海", "ㄅ", "α"].sort(new Intl.Collator(${text(l)}).compare)`);
for (const l of main) for (const options of [{ numeric: true }, { sensitivity: 'base' }, { sensitivity: 'accent' }, { sensitivity: 'case' }, { caseFirst: 'upper' }, { caseFirst: 'lower' }, { ignorePunctuation: true }]) {
  add(`((c) => [["a", "A"], ["a", "á"], ["a", "b"], ["a2", "a10"], ["A", "á"], ["ss", "ß"], ["a-b", "ab"], ["x 1", "x1"], ["Ü", "u"], ["9", "10"], ["v1.10", "v1.9"], ["", "a"]].map(([a, b]) => c.compare(a, b)))(new Intl.Collator(${text(l)}, ${text(options)}))`);
}
add('"a".localeCompare("b")');
add('"résumé".localeCompare("resume", undefined, { sensitivity: "base" })');
add('["item 10", "item 9", "Item 1"].sort((a, b) => a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" }))');
add('"a".localeCompare("A", "en-u-kf-upper")');
add('"2".localeCompare("10", "en-u-kn-true")');
add('new Intl.Collator("de", { numeric: true }).resolvedOptions()');
add('new Intl.Collator("de-u-kn-kf-upper").resolvedOptions()');
add('"i".toLocaleUpperCase("tr")');
add('"I".toLocaleLowerCase("tr")');
add('"I".toLocaleLowerCase("en")');
add('"straße".toLocaleUpperCase("de")');
add('"\u03ac\u03c3\u03bf\u03c2".toLocaleUpperCase("el")');
add('"i\u0307".toLocaleUpperCase("lt")');
add('"x".toLocaleUpperCase("en_US")');

// Locales.
for (const list of ['"EN-us"', '["iw", "cmn", "zh-hant-tw"]', '"de-u-nu-latn-ca-gregory"', '"en_US"', '""', '"e"', 'null', '[1]', 'undefined', '"en-US-u-hc-h12-x-private"', '["de", "DE"]', '"sl-rozaj-biske-1994"']) add(`Intl.getCanonicalLocales(${list})`);
for (const l of ['de-DE', 'de-US', 'zh-Hant-TW', 'en-JP', 'es-419', 'pt-AO', 'en-u-hc-h23', 'fr-BE']) add(`new Intl.DateTimeFormat(${text(l)}, { hour: "numeric", timeZone: "UTC" }).resolvedOptions()`);
add('Intl.NumberFormat.supportedLocalesOf(["en", "de-DE", "es-419"])');
add('Intl.NumberFormat("en").format(1)');
add('Intl.DateTimeFormat().resolvedOptions().timeZone');
add('Object.prototype.toString.call(new Intl.NumberFormat())');
add('Object.prototype.toString.call(Intl)');
add('Intl.NumberFormat.name + Intl.NumberFormat.length + Intl.DateTimeFormat.prototype.formatToParts.length');
add('Intl.NumberFormat.prototype.format');
add('[1.5, 2.5].map(new Intl.NumberFormat("en").format)');
add('class extends Intl.NumberFormat {}.name');

const AsyncFunction = (async () => {}).constructor;
const cases = [];
for (const expression of new Set(expressions)) {
  let want;
  try {
    want = JSON.stringify(await new AsyncFunction(`return (${expression})`)()) ?? 'undefined';
  } catch (error) {
    want = `throws ${error.name}`;
  }
  cases.push({ expression, want });
}
const { node, icu, cldr, tz, unicode } = process.versions;
process.stdout.write(`${JSON.stringify({ node, icu, cldr, tz, unicode }).slice(0, -1)},"cases":[\n${cases.map((c) => JSON.stringify(c)).join(',\n')}\n]}\n`);
