package date

import (
	"strconv"
	"strings"
	"time"
)

// period returns the period of the day: AM or PM for a, a period of the language for B.
func (f *Format) period(i item, t time.Time) string {
	name := "am"
	if t.Hour() >= 12 {
		name = "pm"
	}
	if i.letter == 'B' {
		if text := f.flexible(i, t); text != "" {
			return text
		}
		i.length = 1 // as ICU does
	}
	return f.calendar.At("dayPeriods", "format", widthOf(i.length), name)
}

// flexible returns the name of a period of the language, such as "in the morning", or "".
func (f *Format) flexible(i item, t time.Time) string {
	text := func(name string) string {
		return f.calendar.At("dayPeriods", "format", widthOf(i.length), name)
	}
	exact := (t.Minute() == 0 || !f.shows('m')) && (t.Second() == 0 || !f.shows('s'))
	// ICU does not use the name of midnight, because it is ambiguous which day it means.
	if exact && t.Hour() == 12 && f.calendar.At("period", "noon", "at") != "" && text("noon") != "" {
		return text("noon")
	}
	for _, name := range []string{"morning1", "morning2", "afternoon1", "afternoon2", "evening1", "evening2", "night1", "night2"} {
		from, before := clock(f.calendar.At("period", name, "from")), clock(f.calendar.At("period", name, "before"))
		inside := t.Hour() >= from && t.Hour() < before
		if from > before { // over midnight
			inside = t.Hour() >= from || t.Hour() < before
		}
		if from >= 0 && inside {
			return text(name)
		}
	}
	return ""
}

// clock returns the hours of a time such as 06:00, or -1 if there is none.
func clock(text string) int {
	hours, _, _ := strings.Cut(text, ":")
	n, err := strconv.Atoi(hours)
	if err != nil {
		return -1
	}
	return n
}

func (f *Format) shows(letter byte) bool {
	for _, i := range f.items {
		if i.letter == letter {
			return true
		}
	}
	return false
}
