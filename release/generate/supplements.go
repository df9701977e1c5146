package main

import (
	"strings"
)

// supplements maps names of tables that belong to no locale to the functions that create them.
var supplements = map[string]func(*localeSource) (table, error){
	"digits": currencyDigits, "metazones": metazones, "zones": zoneNames, "aliases": aliases,
}

// currencyDigits stores the number of fraction digits of currencies that do not have two.
func currencyDigits(s *localeSource) (table, error) {
	all, err := s.read("supplemental/currencyData.json", "supplemental", "currencyData", "fractions")
	t := table{}
	for code := range all {
		if digits := all.in(code).text("_digits"); digits != "2" {
			t.put(digits, code)
		}
	}
	return t, err
}

// metazones stores the metazones of each zone, each as "name,from,to", joined by semicolons.
func metazones(s *localeSource) (table, error) {
	all, err := s.read("supplemental/metaZones.json", "supplemental", "metaZones", "metazoneInfo", "timezone")
	t := table{}
	t.metazones(all, "")
	return t, err
}

func (t table) metazones(o object, prefix string) {
	for name, value := range o {
		list, ok := value.([]any)
		if !ok {
			t.metazones(o.in(name), prefix+name+"/")
			continue
		}
		var uses []string
		for _, entry := range list {
			use := object(entry.(map[string]any)).in("usesMetazone")
			short := func(name string) string { return strings.ReplaceAll(use.text(name), " ", "T") }
			uses = append(uses, strings.TrimRight(strings.Join([]string{use.text("_mzone"), short("_from"), short("_to")}, ","), ","))
		}
		t.put(strings.Join(uses, ";"), prefix+name)
	}
}

// zoneNames stores the canonical name for each name of a zone, including the canonical name
// itself.
func zoneNames(s *localeSource) (table, error) {
	all, err := s.read("bcp47/timezone.json", "keyword", "u", "tz")
	t := table{}
	for id := range all {
		names := strings.Fields(all.in(id).text("_alias"))
		for _, name := range names {
			t.put(names[0], name)
		}
	}
	return t, err
}

// aliases stores the replacements of deprecated codes of languages, scripts and regions.
func aliases(s *localeSource) (table, error) {
	all, err := s.read("supplemental/aliases.json", "supplemental", "metadata", "alias")
	t := table{}
	for _, kind := range []string{"language", "script", "territory"} {
		of := all.in(kind + "Alias")
		for code := range of {
			if replacement := of.in(code).text("_replacement"); !strings.Contains(replacement, " ") {
				t.put(replacement, kind, code)
			}
		}
	}
	return t, err
}
