package main

import "strings"

// words stores the patterns for relative times and lists.
func (s *localeSource) words(locale string) (table, error) {
	fields, err := s.read("main/"+locale+"/dateFields.json", "main", locale, "dates", "fields")
	if err != nil {
		return nil, err
	}
	lists, err := s.read("main/"+locale+"/listPatterns.json", "main", locale, "listPatterns")
	if err != nil {
		return nil, err
	}
	t := table{}
	for _, unit := range []string{"year", "quarter", "month", "week", "day", "hour", "minute", "second"} {
		for _, width := range []string{"", "-short", "-narrow"} {
			f := fields.in(unit + width)
			for key := range f {
				if value, ok := strings.CutPrefix(key, "relative-type-"); ok {
					t.put(f.text(key), "relative", unit+width, value)
				}
			}
			for _, way := range []string{"future", "past"} {
				patterns := f.in("relativeTime-type-" + way)
				for key := range patterns {
					t.put(patterns.text(key), "relative", unit+width, way, strings.TrimPrefix(key, "relativeTimePattern-count-"))
				}
			}
		}
	}
	for name := range lists {
		kind := strings.TrimPrefix(name, "listPattern-type-")
		for part := range lists.in(name) {
			t.put(lists.in(name).text(part), "list", kind, part)
		}
	}
	return t, nil
}
