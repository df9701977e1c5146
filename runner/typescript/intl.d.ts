declare namespace Intl {
    type LocalesArgument = string | readonly string[] | undefined;
    type LocaleMatcher = "lookup" | "best fit";
    type Width = "narrow" | "short" | "long";
    type RoundingMode = "ceil" | "floor" | "expand" | "trunc" | "halfCeil" | "halfFloor" | "halfExpand" | "halfTrunc" | "halfEven";

    interface SupportedLocalesOptions { localeMatcher?: LocaleMatcher | undefined }
    interface Part<Type extends string> { type: Type; value: string }

    function getCanonicalLocales(locales?: string | readonly string[]): string[];

    interface CollatorOptions {
        /** Other environments also have "search". */
        usage?: "sort" | undefined;
        localeMatcher?: LocaleMatcher | undefined;
        numeric?: boolean | undefined;
        caseFirst?: "upper" | "lower" | "false" | undefined;
        sensitivity?: "base" | "accent" | "case" | "variant" | undefined;
        collation?: "default" | undefined;
        ignorePunctuation?: boolean | undefined;
    }
    interface ResolvedCollatorOptions {
        locale: string;
        usage: string;
        sensitivity: string;
        ignorePunctuation: boolean;
        collation: string;
        numeric: boolean;
        caseFirst: string;
    }
    interface Collator {
        readonly compare: (x: string, y: string) => number;
        resolvedOptions(): ResolvedCollatorOptions;
    }
    interface CollatorConstructor {
        new (locales?: LocalesArgument, options?: CollatorOptions): Collator;
        (locales?: LocalesArgument, options?: CollatorOptions): Collator;
        supportedLocalesOf(locales: string | readonly string[], options?: SupportedLocalesOptions): string[];
        readonly prototype: Collator;
    }
    var Collator: CollatorConstructor;

    interface DigitOptions {
        minimumIntegerDigits?: number | undefined;
        minimumFractionDigits?: number | undefined;
        maximumFractionDigits?: number | undefined;
        minimumSignificantDigits?: number | undefined;
        maximumSignificantDigits?: number | undefined;
        roundingIncrement?: 1 | 2 | 5 | 10 | 20 | 25 | 50 | 100 | 200 | 250 | 500 | 1000 | 2000 | 2500 | 5000 | undefined;
        roundingMode?: RoundingMode | undefined;
        roundingPriority?: "auto" | "morePrecision" | "lessPrecision" | undefined;
        trailingZeroDisplay?: "auto" | "stripIfInteger" | undefined;
    }
    interface NumberFormatOptions extends DigitOptions {
        localeMatcher?: LocaleMatcher | undefined;
        numberingSystem?: "latn" | undefined;
        style?: "decimal" | "percent" | "currency" | "unit" | undefined;
        currency?: string | undefined;
        currencyDisplay?: "code" | "symbol" | "narrowSymbol" | "name" | undefined;
        currencySign?: "standard" | "accounting" | undefined;
        unit?: string | undefined;
        unitDisplay?: Width | undefined;
        notation?: "standard" | "scientific" | "engineering" | "compact" | undefined;
        compactDisplay?: "short" | "long" | undefined;
        useGrouping?: boolean | "min2" | "auto" | "always" | "true" | "false" | undefined;
        signDisplay?: "auto" | "never" | "always" | "exceptZero" | "negative" | undefined;
    }
    interface ResolvedDigitOptions {
        minimumIntegerDigits: number;
        minimumFractionDigits?: number;
        maximumFractionDigits?: number;
        minimumSignificantDigits?: number;
        maximumSignificantDigits?: number;
        roundingIncrement: number;
        roundingMode: RoundingMode;
        roundingPriority: "auto" | "morePrecision" | "lessPrecision";
        trailingZeroDisplay: "auto" | "stripIfInteger";
    }
    interface ResolvedNumberFormatOptions extends ResolvedDigitOptions {
        locale: string;
        numberingSystem: string;
        style: "decimal" | "percent" | "currency" | "unit";
        currency?: string;
        currencyDisplay?: string;
        currencySign?: string;
        unit?: string;
        unitDisplay?: string;
        notation: string;
        compactDisplay?: string;
        useGrouping: "min2" | "auto" | "always" | false;
        signDisplay: string;
    }
    type NumberFormatPartTypes = "literal" | "nan" | "infinity" | "percentSign" | "compact" | "exponentSeparator" | "exponentMinusSign" | "exponentInteger" | "currency" | "unit" | "integer" | "group" | "decimal" | "fraction" | "plusSign" | "minusSign";
    type NumberFormatPart = Part<NumberFormatPartTypes>;
    interface NumberFormat {
        readonly format: (value: number | bigint | string) => string;
        formatToParts(value?: number | bigint | string): NumberFormatPart[];
        resolvedOptions(): ResolvedNumberFormatOptions;
    }
    interface NumberFormatConstructor {
        new (locales?: LocalesArgument, options?: NumberFormatOptions): NumberFormat;
        (locales?: LocalesArgument, options?: NumberFormatOptions): NumberFormat;
        supportedLocalesOf(locales: string | readonly string[], options?: SupportedLocalesOptions): string[];
        readonly prototype: NumberFormat;
    }
    var NumberFormat: NumberFormatConstructor;

    interface DateTimeFormatOptions {
        localeMatcher?: LocaleMatcher | undefined;
        formatMatcher?: "best fit" | "basic" | undefined;
        calendar?: "gregory" | undefined;
        numberingSystem?: "latn" | undefined;
        timeZone?: string | undefined;
        hour12?: boolean | undefined;
        hourCycle?: "h11" | "h12" | "h23" | "h24" | undefined;
        weekday?: Width | undefined;
        era?: Width | undefined;
        year?: "numeric" | "2-digit" | undefined;
        month?: "numeric" | "2-digit" | Width | undefined;
        day?: "numeric" | "2-digit" | undefined;
        dayPeriod?: Width | undefined;
        hour?: "numeric" | "2-digit" | undefined;
        minute?: "numeric" | "2-digit" | undefined;
        second?: "numeric" | "2-digit" | undefined;
        fractionalSecondDigits?: 1 | 2 | 3 | undefined;
        /** Other environments also have "shortGeneric" and "longGeneric". */
        timeZoneName?: "short" | "long" | "shortOffset" | "longOffset" | undefined;
        dateStyle?: "full" | "long" | "medium" | "short" | undefined;
        timeStyle?: "full" | "long" | "medium" | "short" | undefined;
    }
    interface ResolvedDateTimeFormatOptions {
        locale: string;
        calendar: string;
        numberingSystem: string;
        timeZone: string;
        hourCycle?: "h11" | "h12" | "h23" | "h24";
        hour12?: boolean;
        weekday?: Width;
        era?: Width;
        year?: "numeric" | "2-digit";
        month?: "numeric" | "2-digit" | Width;
        day?: "numeric" | "2-digit";
        dayPeriod?: Width;
        hour?: "numeric" | "2-digit";
        minute?: "numeric" | "2-digit";
        second?: "numeric" | "2-digit";
        fractionalSecondDigits?: 1 | 2 | 3;
        timeZoneName?: "short" | "long" | "shortOffset" | "longOffset";
        dateStyle?: "full" | "long" | "medium" | "short";
        timeStyle?: "full" | "long" | "medium" | "short";
    }
    type DateTimeFormatPartTypes = "day" | "dayPeriod" | "era" | "fractionalSecond" | "hour" | "literal" | "minute" | "month" | "second" | "timeZoneName" | "weekday" | "year";
    type DateTimeFormatPart = Part<DateTimeFormatPartTypes>;
    interface DateTimeFormat {
        readonly format: (date?: Date | number) => string;
        formatToParts(date?: Date | number): DateTimeFormatPart[];
        resolvedOptions(): ResolvedDateTimeFormatOptions;
    }
    interface DateTimeFormatConstructor {
        new (locales?: LocalesArgument, options?: DateTimeFormatOptions): DateTimeFormat;
        (locales?: LocalesArgument, options?: DateTimeFormatOptions): DateTimeFormat;
        supportedLocalesOf(locales: string | readonly string[], options?: SupportedLocalesOptions): string[];
        readonly prototype: DateTimeFormat;
    }
    var DateTimeFormat: DateTimeFormatConstructor;

    type LDMLPluralRule = "zero" | "one" | "two" | "few" | "many" | "other";
    type PluralRuleType = "cardinal" | "ordinal";
    interface PluralRulesOptions extends DigitOptions {
        localeMatcher?: LocaleMatcher | undefined;
        type?: PluralRuleType | undefined;
    }
    interface ResolvedPluralRulesOptions extends ResolvedDigitOptions {
        locale: string;
        type: PluralRuleType;
        pluralCategories: LDMLPluralRule[];
    }
    interface PluralRules {
        select(n: number): LDMLPluralRule;
        resolvedOptions(): ResolvedPluralRulesOptions;
    }
    interface PluralRulesConstructor {
        new (locales?: LocalesArgument, options?: PluralRulesOptions): PluralRules;
        supportedLocalesOf(locales: string | readonly string[], options?: SupportedLocalesOptions): string[];
        readonly prototype: PluralRules;
    }
    var PluralRules: PluralRulesConstructor;

    type RelativeTimeFormatUnitSingular = "year" | "quarter" | "month" | "week" | "day" | "hour" | "minute" | "second";
    type RelativeTimeFormatUnit = RelativeTimeFormatUnitSingular | `${RelativeTimeFormatUnitSingular}s`;
    type RelativeTimeFormatNumeric = "always" | "auto";
    interface RelativeTimeFormatOptions {
        localeMatcher?: LocaleMatcher | undefined;
        numberingSystem?: "latn" | undefined;
        numeric?: RelativeTimeFormatNumeric | undefined;
        style?: Width | undefined;
    }
    interface ResolvedRelativeTimeFormatOptions {
        locale: string;
        style: Width;
        numeric: RelativeTimeFormatNumeric;
        numberingSystem: string;
    }
    type RelativeTimeFormatPart = { type: "literal"; value: string } | { type: Exclude<NumberFormatPartTypes, "literal">; value: string; unit: RelativeTimeFormatUnitSingular };
    interface RelativeTimeFormat {
        format(value: number, unit: RelativeTimeFormatUnit): string;
        formatToParts(value: number, unit: RelativeTimeFormatUnit): RelativeTimeFormatPart[];
        resolvedOptions(): ResolvedRelativeTimeFormatOptions;
    }
    interface RelativeTimeFormatConstructor {
        new (locales?: LocalesArgument, options?: RelativeTimeFormatOptions): RelativeTimeFormat;
        supportedLocalesOf(locales: string | readonly string[], options?: SupportedLocalesOptions): string[];
        readonly prototype: RelativeTimeFormat;
    }
    var RelativeTimeFormat: RelativeTimeFormatConstructor;

    interface ListFormatOptions {
        localeMatcher?: LocaleMatcher | undefined;
        type?: "conjunction" | "disjunction" | "unit" | undefined;
        style?: Width | undefined;
    }
    interface ResolvedListFormatOptions {
        locale: string;
        type: "conjunction" | "disjunction" | "unit";
        style: Width;
    }
    interface ListFormat {
        format(list: Iterable<string>): string;
        formatToParts(list: Iterable<string>): Part<"element" | "literal">[];
        resolvedOptions(): ResolvedListFormatOptions;
    }
    interface ListFormatConstructor {
        new (locales?: LocalesArgument, options?: ListFormatOptions): ListFormat;
        supportedLocalesOf(locales: string | readonly string[], options?: SupportedLocalesOptions): string[];
        readonly prototype: ListFormat;
    }
    var ListFormat: ListFormatConstructor;
}
