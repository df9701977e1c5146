package main

import (
	"strings"
)

// calendar stores the Gregorian calendar.
func (s *localeSource) calendar(locale string) (table, error) {
	c, err := s.read("main/"+locale+"/ca-gregorian.json", "main", locale, "dates", "calendars", "gregorian")
	if err != nil {
		return nil, err
	}
	t := table{}
	for _, kind := range []string{"months", "days", "dayPeriods"} {
		for _, context := range []string{"format", "stand-alone"} {
			for width, names := range c.in(kind, context) {
				names, _ := names.(map[string]any)
				for key := range names {
					if !strings.Contains(key, "-alt-") && width != "short" {
						t.put(object(names).text(key), kind, context, width, key)
					}
				}
			}
		}
	}
	for cldr, width := range map[string]string{"eraNames": "wide", "eraAbbr": "abbreviated", "eraNarrow": "narrow"} {
		for _, key := range []string{"0", "1"} {
			t.put(c.in("eras", cldr).text(key), "eras", width, key)
		}
	}
	for _, style := range []string{"full", "long", "medium", "short"} {
		t.put(c.in("dateFormats").text(style), "date", style)
		t.put(c.in("timeFormats").text(style), "time", style)
		t.put(c.in("dateTimeFormats").text(style), "dateTime", style)
		t.put(c.in("dateTimeFormats-atTime", "standard").text(style), "atTime", style)
	}
	formats := c.in("dateTimeFormats")
	available := formats.in("availableFormats")
	for skeleton := range available {
		if !strings.Contains(skeleton, "-") {
			t.put(available.text(skeleton), "available", skeleton)
		}
	}
	for field := range formats.in("appendItems") {
		t.put(formats.in("appendItems").text(field), "append", field)
	}
	intervals := formats.in("intervalFormats")
	for skeleton, value := range intervals {
		parts, _ := value.(map[string]any)
		for field := range parts {
			if !strings.Contains(field, "-") {
				t.put(object(parts).text(field), "interval", skeleton, field)
			}
		}
	}
	t.put(intervals.text("intervalFormatFallback"), "interval", "fallback")
	t.put(s.hourCycle(locale), "hours")
	return t, s.fields(t, locale)
}

// fields stores the names of fields that are appended to a pattern, and the day periods of
// the language.
func (s *localeSource) fields(t table, locale string) error {
	fields, err := s.read("main/"+locale+"/dateFields.json", "main", locale, "dates", "fields")
	if err != nil {
		return err
	}
	for name, field := range map[string]string{
		"era": "Era", "year": "Year", "month": "Month", "weekday": "Day-Of-Week", "day": "Day", "hour": "Hour", "minute": "Minute",
		"second": "Second", "zone": "Timezone", "dayperiod": "DayPeriod",
	} {
		t.put(fields.in(name).text("displayName"), "field", field)
	}
	rules, err := s.read("supplemental/dayPeriods.json", "supplemental", "dayPeriodRuleSet")
	if err != nil {
		return err
	}
	language, _, _ := strings.Cut(locale, "-")
	of := rules.in(locale)
	if of == nil {
		of = rules.in(language)
	}
	for period := range of {
		rule := of.in(period)
		t.put(rule.text("_at"), "period", period, "at")
		t.put(rule.text("_from"), "period", period, "from")
		t.put(rule.text("_before"), "period", period, "before")
	}
	return nil
}

// hourCycle returns the letter for the hours that the region uses: h or H.
func (s *localeSource) hourCycle(locale string) string {
	parts := strings.Split(locale, "-")
	region := parts[len(parts)-1]
	if len(parts) == 1 || len(region) == 4 {
		full := s.likely.text(locale)
		region = full[strings.LastIndexByte(full, '-')+1:]
	}
	preferred := s.hours.in(parts[0] + "-" + region).text("_preferred")
	if preferred == "" {
		preferred = s.hours.in(region).text("_preferred")
	}
	if preferred == "" {
		preferred = "H"
	}
	return preferred[:1]
}

// zones stores the names of time zones.
func (s *localeSource) zones(locale string) (table, error) {
	z, err := s.read("main/"+locale+"/timeZoneNames.json", "main", locale, "dates", "timeZoneNames")
	if err != nil {
		return nil, err
	}
	t := table{}
	for _, name := range []string{"hourFormat", "gmtFormat", "gmtZeroFormat", "regionFormat", "fallbackFormat"} {
		t.put(z.text(name), name)
	}
	for name := range z.in("metazone") {
		t.zone(z.in("metazone", name), "meta", name)
	}
	t.places(z.in("zone"), "")
	return t, nil
}

// zone stores the names of one zone.
func (t table) zone(o object, path ...string) {
	for _, width := range []string{"long", "short"} {
		for _, kind := range []string{"generic", "standard", "daylight"} {
			if name := o.in(width).text(kind); name != "∅∅∅" {
				t.put(name, append(path[:len(path):len(path)], width, kind)...)
			}
		}
	}
}

// places stores the zones with their own names. Europe/London has one in summer.
func (t table) places(o object, prefix string) {
	for name := range o {
		zone := o.in(name)
		if zone.text("_type") != "zone" {
			t.places(zone, prefix+name+"/")
			continue
		}
		t.zone(zone, "zone", prefix+name)
	}
}
