// Package date formats dates like Intl.DateTimeFormat.
package date

import (
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript/runner/quickjs/intl/cldr"
	"github.com/toolscript/toolscript/runner/quickjs/intl/number"
)

// Options are the options of Intl.DateTimeFormat. Empty fields are not shown.
type Options struct {
	Locale                 string  `json:"-"`
	TimeZone               *string `json:"timeZone"`
	Hour12                 *bool   `json:"hour12"`
	HourCycle              string  `json:"hourCycle"`
	Weekday                string  `json:"weekday"`
	Era                    string  `json:"era"`
	Year                   string  `json:"year"`
	Month                  string  `json:"month"`
	Day                    string  `json:"day"`
	DayPeriod              string  `json:"dayPeriod"`
	Hour                   string  `json:"hour"`
	Minute                 string  `json:"minute"`
	Second                 string  `json:"second"`
	FractionalSecondDigits int     `json:"fractionalSecondDigits"`
	TimeZoneName           string  `json:"timeZoneName"`
	DateStyle              string  `json:"dateStyle"`
	TimeStyle              string  `json:"timeStyle"`
}

// Format formats dates.
type Format struct {
	Options
	Zone     Zone
	pattern  string
	items    []item
	calendar cldr.Table
}

// New returns a format. standard is the time zone if the options have none.
func New(o Options, standard Zone) (*Format, error) {
	f := &Format{Options: o, Zone: standard, calendar: cldr.Of(o.Locale, cldr.Calendar)}
	if o.TimeZone != nil {
		var err error
		if f.Zone, err = LoadZone(*o.TimeZone); err != nil {
			return nil, err
		}
	}
	f.pattern = o.choose(newGenerator(o.Locale))
	f.items = parse(f.pattern)
	return f, nil
}

var hourLetters = map[string]byte{"h11": 'K', "h12": 'h', "h23": 'H', "h24": 'k'}

// hour returns the pattern letter for the hour cycle of the options.
func (o *Options) hour(g *generator) byte {
	switch {
	case o.Hour12 != nil && *o.Hour12:
		return 'h'
	case o.Hour12 != nil:
		return 'H'
	case o.HourCycle != "":
		return hourLetters[o.HourCycle]
	}
	return g.hour
}

// choose returns the pattern for the options.
func (o *Options) choose(g *generator) string {
	letter := o.hour(g)
	if o.DateStyle == "" && o.TimeStyle == "" {
		pattern := g.best(o.skeleton(letter))
		if o.Hour == "" {
			return pattern
		}
		return withHours(pattern, letter)
	}
	pattern := g.calendar.At("date", o.DateStyle)
	if o.TimeStyle == "" {
		return pattern
	}
	clock := g.calendar.At("time", o.TimeStyle)
	pattern = clock
	if o.DateStyle != "" {
		pattern = glue(g.calendar.At("atTime", o.DateStyle), []string{clock, g.calendar.At("date", o.DateStyle)})
	}
	for _, i := range parse(clock) {
		if r := rowOf(i.letter, i.length); r != nil && r.field == hour && i.letter != letter {
			return withHours(g.best(otherHours(pattern, letter)), letter)
		}
	}
	return pattern
}

// otherHours returns the skeleton of a pattern with another letter for hours.
func otherHours(pattern string, letter byte) string {
	var b strings.Builder
	for _, i := range parse(pattern) {
		r := rowOf(i.letter, i.length)
		switch {
		case r == nil || r.field == dayPeriod:
			continue
		case r.field == hour:
			i.letter = letter
		}
		b.WriteString(strings.Repeat(string(i.letter), i.length))
	}
	return b.String()
}

// withHours replaces the letter for hours in a pattern. It inserts a space between a day and
// hours that follow directly.
func withHours(pattern string, letter byte) string {
	var b strings.Builder
	last := byte(0)
	for _, i := range parse(pattern) {
		if i.letter == 0 {
			b.WriteString(quoted(i.text))
			last = 0
			continue
		}
		if strings.IndexByte("hHkK", i.letter) >= 0 {
			if last == 'd' {
				b.WriteByte(' ')
			}
			i.letter = letter
		}
		b.WriteString(strings.Repeat(string(i.letter), i.length))
		last = i.letter
	}
	return b.String()
}

var lengths = map[string]int{"numeric": 1, "2-digit": 2, "short": 3, "long": 4, "narrow": 5}

// skeleton returns the fields of the options as pattern letters.
func (o *Options) skeleton(hours byte) string {
	var b strings.Builder
	put := func(letter byte, option string) { b.WriteString(strings.Repeat(string(letter), lengths[option])) }
	put('E', o.Weekday)
	put('G', o.Era)
	put('y', o.Year)
	put('M', o.Month)
	put('d', o.Day)
	if o.DayPeriod != "" {
		b.WriteString(strings.Repeat("B", map[string]int{"short": 1, "long": 4, "narrow": 5}[o.DayPeriod]))
	}
	put(hours, o.Hour)
	put('m', o.Minute)
	put('s', o.Second)
	b.WriteString(strings.Repeat("S", min(max(o.FractionalSecondDigits, 0), 3)))
	switch o.TimeZoneName {
	case "short":
		b.WriteString("z")
	case "long":
		b.WriteString("zzzz")
	case "shortOffset":
		b.WriteString("O")
	case "longOffset":
		b.WriteString("OOOO")
	}
	return b.String()
}

// types maps fields to the types of formatToParts.
var types = map[field]string{
	era: "era", year: "year", month: "month", weekday: "weekday", day: "day", dayPeriod: "dayPeriod", hour: "hour", minute: "minute",
	second: "second", fraction: "fractionalSecond", zone: "timeZoneName",
}

// Text formats a time, in milliseconds since 1970. Like V8, it replaces narrow spaces by
// normal spaces, unlike Parts.
func (f *Format) Text(milliseconds int64) string {
	return strings.ReplaceAll(number.Join(f.Parts(milliseconds)), "\u202f", " ")
}

// Parts formats a time, in milliseconds since 1970.
func (f *Format) Parts(milliseconds int64) (parts []number.Part) {
	t := f.Zone.at(milliseconds)
	for _, i := range f.items {
		p := number.Part{Type: "literal", Value: i.text}
		if r := rowOf(i.letter, i.length); r != nil {
			p = number.Part{Type: types[r.field], Value: f.value(r.field, i, t)}
		}
		if last := len(parts) - 1; last >= 0 && p.Type == "literal" && parts[last].Type == "literal" {
			parts[last].Value += p.Value
			continue
		}
		if p.Value != "" {
			parts = append(parts, p)
		}
	}
	return parts
}

func (f *Format) value(kind field, i item, t time.Time) string {
	switch kind { //nolint:exhaustive // patterns of Intl contain no others
	case era:
		return f.calendar.At("eras", widthOf(i.length), map[bool]string{true: "1", false: "0"}[t.Year() > 0])
	case year:
		return yearText(t.Year(), i.length)
	case month:
		if i.length < 3 {
			return padded(int(t.Month()), i.length)
		}
		return f.calendar.At("months", contextOf(i.letter == 'L'), widthOf(i.length), padded(int(t.Month()), 1))
	case weekday:
		name := strings.ToLower(t.Weekday().String()[:3])
		return f.calendar.At("days", contextOf(i.letter == 'c'), widthOf(i.length), name)
	case day:
		return padded(t.Day(), i.length)
	case dayPeriod:
		return f.period(i, t)
	case hour:
		return padded(hourOf(i.letter, t.Hour()), i.length)
	case minute:
		return padded(t.Minute(), i.length)
	case second:
		return padded(t.Second(), i.length)
	case fraction:
		return (padded(t.Nanosecond()/1e6, 3) + "000")[:min(i.length, 6)]
	case zone:
		return f.zoneName(i, t)
	}
	return ""
}

func contextOf(alone bool) string {
	if alone {
		return "stand-alone"
	}
	return "format"
}

func widthOf(length int) string {
	switch length {
	case 4:
		return "wide"
	case 5:
		return "narrow"
	}
	return "abbreviated"
}

func padded(n, length int) string {
	digits := strconv.Itoa(n)
	return strings.Repeat("0", max(0, length-len(digits))) + digits
}

// yearText returns a year of its era: the year 0 is 1 BC.
func yearText(year, length int) string {
	if year <= 0 {
		year = 1 - year
	}
	if length == 2 {
		return padded(year%100, 2)
	}
	return padded(year, length)
}

func hourOf(letter byte, hour int) int {
	switch letter {
	case 'h':
		return (hour+11)%12 + 1
	case 'K':
		return hour % 12
	case 'k':
		return (hour+23)%24 + 1
	}
	return hour
}
