package main

import (
	"slices"
	"strings"
)

var wantedSymbols = []string{
	"decimal", "group", "percentSign", "plusSign", "minusSign", "exponential", "superscriptingExponent", "infinity", "nan",
	"currencyDecimal", "currencyGroup", "perMille", "approximatelySign",
}

func (s *localeSource) numbers(locale string) (table, error) {
	n, err := s.read("main/"+locale+"/numbers.json", "main", locale, "numbers")
	if err != nil {
		return nil, err
	}
	t := table{}
	t.put(n.text("minimumGroupingDigits"), "minimumGrouping")
	symbols := n.in("symbols-numberSystem-latn")
	for _, name := range wantedSymbols {
		t.put(symbols.text(name), "symbol", name)
	}
	decimal, currency := n.in("decimalFormats-numberSystem-latn"), n.in("currencyFormats-numberSystem-latn")
	t.put(decimal.text("standard"), "decimal")
	t.put(n.in("percentFormats-numberSystem-latn").text("standard"), "percent")
	t.put(n.in("scientificFormats-numberSystem-latn").text("standard"), "scientific")
	for _, width := range []string{"short", "long"} {
		t.compact(decimal.in(width, "decimalFormat"), "compact", width)
	}
	t.compact(currency.in("short", "standard"), "compact", "currency")
	for _, kind := range []string{"standard", "accounting"} {
		t.put(currency.text(kind), "currency", kind)
		t.put(currency.text(kind+"-alphaNextToNumber"), "currency", kind, "alpha")
	}
	for _, side := range []string{"beforeCurrency", "afterCurrency"} {
		t.put(currency.in("currencySpacing", side).text("insertBetween"), "currency", side)
	}
	for name := range currency {
		if count, ok := strings.CutPrefix(name, "unitPattern-count-"); ok {
			t.put(currency.text(name), "currency", "name", count)
		}
	}
	return t, s.plurals(t, locale)
}

// compact stores patterns such as 1000-count-one.
func (t table) compact(o object, path ...string) {
	for name := range o {
		alpha := ""
		if cut, ok := strings.CutSuffix(name, "-alt-alphaNextToNumber"); ok {
			name, alpha = cut, "-alt-alphaNextToNumber"
		}
		size, count, _ := strings.Cut(name, "-count-")
		place := append(slices.Clone(path), size, count)
		if alpha != "" {
			place = append(place, "alpha")
		}
		t.put(o.text(name+alpha), place...)
	}
}

// plurals stores the plural rules for cardinal and ordinal numbers.
func (s *localeSource) plurals(t table, locale string) error {
	for kind, file := range map[string]string{"cardinal": "plurals", "ordinal": "ordinals"} {
		all, err := s.read("supplemental/"+file+".json", "supplemental", "plurals-type-"+kind)
		if err != nil {
			return err
		}
		language, _, _ := strings.Cut(locale, "-")
		rules := all.in(locale)
		if rules == nil {
			rules = all.in(language)
		}
		for name := range rules {
			rule, _, _ := strings.Cut(rules.text(name), "@")
			t.put(strings.TrimSpace(rule), kind, strings.TrimPrefix(name, "pluralRule-count-"))
		}
	}
	return nil
}

func (s *localeSource) currencies(locale string) (table, error) {
	all, err := s.read("main/"+locale+"/currencies.json", "main", locale, "numbers", "currencies")
	if err != nil {
		return nil, err
	}
	t := table{}
	for code := range all {
		c := all.in(code)
		t.put(c.text("displayName"), code)
		if symbol := c.text("symbol"); symbol != code {
			t.put(symbol, code, "symbol")
		}
		t.put(c.text("symbol-alt-narrow"), code, "narrow")
		for name := range c {
			if count, ok := strings.CutPrefix(name, "displayName-count-"); ok {
				t.put(c.text(name), code, count)
			}
		}
	}
	return t, nil
}

// simpleUnits maps the units of ECMA-402 to their names in CLDR.
var simpleUnits = map[string]string{
	"acre": "area-acre", "bit": "digital-bit", "byte": "digital-byte", "celsius": "temperature-celsius", "centimeter": "length-centimeter",
	"day": "duration-day", "degree": "angle-degree", "fahrenheit": "temperature-fahrenheit", "fluid-ounce": "volume-fluid-ounce",
	"foot": "length-foot", "gallon": "volume-gallon", "gigabit": "digital-gigabit", "gigabyte": "digital-gigabyte", "gram": "mass-gram",
	"hectare": "area-hectare", "hour": "duration-hour", "inch": "length-inch", "kilobit": "digital-kilobit", "kilobyte": "digital-kilobyte",
	"kilogram": "mass-kilogram", "kilometer": "length-kilometer", "liter": "volume-liter", "megabit": "digital-megabit",
	"megabyte": "digital-megabyte", "meter": "length-meter", "microsecond": "duration-microsecond", "mile": "length-mile",
	"mile-scandinavian": "length-mile-scandinavian", "milliliter": "volume-milliliter", "millimeter": "length-millimeter",
	"millisecond": "duration-millisecond", "minute": "duration-minute", "month": "duration-month", "nanosecond": "duration-nanosecond",
	"ounce": "mass-ounce", "percent": "concentr-percent", "petabyte": "digital-petabyte", "pound": "mass-pound", "second": "duration-second",
	"stone": "mass-stone", "terabit": "digital-terabit", "terabyte": "digital-terabyte", "week": "duration-week", "yard": "length-yard",
	"year": "duration-year",
	// compounds with their own form
	"kilometer-per-hour": "speed-kilometer-per-hour", "meter-per-second": "speed-meter-per-second", "mile-per-hour": "speed-mile-per-hour",
	"mile-per-gallon": "consumption-mile-per-gallon",
}

func (s *localeSource) units(locale string) (table, error) {
	all, err := s.read("main/"+locale+"/units.json", "main", locale, "units")
	if err != nil {
		return nil, err
	}
	t := table{}
	for _, width := range []string{"long", "short", "narrow"} {
		for unit, name := range simpleUnits {
			u := all.in(width, name)
			t.put(u.text("perUnitPattern"), width, unit, "per")
			for key := range u {
				if count, ok := strings.CutPrefix(key, "unitPattern-count-"); ok {
					t.put(u.text(key), width, unit, count)
				}
			}
		}
		t.put(all.in(width, "per").text("compoundUnitPattern"), width, "per")
	}
	return t, nil
}
