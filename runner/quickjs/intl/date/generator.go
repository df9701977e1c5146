package date

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript/runner/quickjs/intl/cldr"
)

// generator finds the pattern of a locale for a set of fields, like DateTimePatternGenerator
// of ICU.
type generator struct {
	calendar cldr.Table
	entries  []entry
	hour     byte   // letter for the hours that the region uses
	decimal  string // separator of seconds and their fractions
}

// entry is a pattern of the locale.
type entry struct {
	skeleton
	pattern   string
	specified bool // CLDR also has the skeleton
}

var styles = []string{"full", "long", "medium", "short"}

func newGenerator(locale string) *generator {
	calendar := cldr.Of(locale, cldr.Calendar)
	g := &generator{calendar: calendar, hour: 'H', decimal: cldr.Of(locale, cldr.Numbers)["symbol:decimal"]}
	if calendar["hours"] != "" {
		g.hour = calendar["hours"][0]
	}
	for _, letter := range "GyQMwWEDFdaHmsSv" {
		g.add(string(letter), "")
	}
	for _, style := range styles {
		g.add(calendar.At("date", style), "")
		g.add(calendar.At("time", style), "")
	}
	g.add(minutesOf(calendar.At("time", "medium")), "")
	var names []string
	for name := range calendar {
		if available, ok := strings.CutPrefix(name, "available:"); ok {
			names = append(names, available)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		g.add(calendar.At("available", name), name)
	}
	// ICU visits patterns in the order of their first letter.
	slices.SortStableFunc(g.entries, func(a, b entry) int { return int(a.base[0]) - int(b.base[0]) })
	return g
}

// minutesOf returns the minutes and seconds of a pattern for times.
func minutesOf(pattern string) string {
	from, to := strings.IndexByte(pattern, 'm'), strings.LastIndexByte(pattern, 's')
	if from < 0 || to < from {
		return ""
	}
	return pattern[from : to+1]
}

// add adds a pattern. name is its skeleton in CLDR, or "".
func (g *generator) add(pattern, name string) {
	if pattern == "" {
		return
	}
	e := entry{pattern: pattern, specified: name != ""}
	if e.specified {
		e.skeleton = skeletonOf(name)
	} else {
		e.skeleton = skeletonOf(pattern)
	}
	if e.base == "" {
		return
	}
	for i := range g.entries {
		old := &g.entries[i]
		if old.base == e.base && !old.specified && !e.specified {
			return
		}
		if old.original == e.original {
			if e.specified && !old.specified {
				*old = e
			}
			return
		}
	}
	g.entries = append(g.entries, e)
}

const (
	allFields  = 1<<fieldCount - 1
	dateFields = 1<<dayPeriod - 1
	timeFields = allFields &^ dateFields
)

// best returns the best pattern for the fields of a skeleton.
func (g *generator) best(wanted string) string {
	s := skeletonOf(wanted)
	found, missing, extra := g.nearest(&s, allFields)
	if missing == 0 && extra == 0 {
		return g.adjust(found.pattern, found, &s, false)
	}
	mask := s.mask()
	onlyDate, onlyTime := g.appending(&s, mask&dateFields), g.appending(&s, mask&timeFields)
	if onlyDate == "" {
		return onlyTime
	}
	if onlyTime == "" {
		return onlyDate
	}
	style := "short"
	switch s.original[month].length {
	case 4:
		style = "long"
		if s.kinds[weekday] != 0 {
			style = "full"
		}
	case 3:
		style = "medium"
	}
	return glue(g.calendar.At("atTime", style), []string{onlyTime, onlyDate})
}

// glue inserts texts into the places {0}, {1} and {2} of a pattern.
func glue(pattern string, texts []string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '{' && i+2 < len(pattern) && pattern[i+2] == '}' {
			if n := int(pattern[i+1] - '0'); n >= 0 && n < len(texts) {
				b.WriteString(texts[n])
				i += 2
				continue
			}
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// nearest returns the entry with the smallest distance, and masks of the fields that it lacks
// or has in addition.
func (g *generator) nearest(s *skeleton, include int) (found *entry, missing, extra int) {
	best, bestMissing := -1, -1
	for i := range g.entries {
		e := &g.entries[i]
		distance, lacks, has := s.distance(&e.skeleton, include)
		if best < 0 || distance < best || distance == best && bestMissing < lacks {
			best, bestMissing = distance, lacks
			found, missing, extra = e, lacks, has
			if distance == 0 {
				break
			}
		}
	}
	return found, missing, extra
}

// appending returns a pattern for the fields in a mask. It appends fields that the nearest
// pattern lacks.
func (g *generator) appending(s *skeleton, fields int) string {
	if fields == 0 {
		return ""
	}
	found, missing, _ := g.nearest(s, fields)
	pattern := g.adjust(found.pattern, found, s, false)
	const seconds, fractions = 1 << second, 1 << fraction
	if missing&(seconds|fractions) == fractions && fields&(seconds|fractions) == seconds|fractions {
		pattern = g.adjust(pattern, found, s, true)
		missing &^= fractions
	}
	if missing == 0 {
		return pattern
	}
	// Like ICU, append missing fields once. Fields that are still missing are not shown.
	asked := missing
	found, missing, _ = g.nearest(s, asked)
	return glue(g.appended(topField(asked&^missing), pattern, g.adjust(found.pattern, found, s, false)))
}

// appended returns the pattern that appends a field, and the texts for its places.
func (g *generator) appended(f field, texts ...string) (pattern string, all []string) {
	name := fieldNames[f]
	pattern, label := g.calendar.At("append", name), g.calendar.At("field", name)
	if pattern == "" {
		pattern = "{0} ├{2}: {1}┤" // ICU's pattern for fields without one in CLDR
	}
	if label == "" {
		label = "F" + strconv.Itoa(int(f))
	}
	return pattern, append(texts, "'"+label+"'")
}

var fieldNames = [fieldCount]string{
	era: "Era", year: "Year", quarter: "Quarter", month: "Month", weekOfYear: "Week", weekday: "Day-Of-Week", day: "Day", dayPeriod: "DayPeriod", hour: "Hour",
	minute: "Minute", second: "Second", zone: "Timezone",
}

// topField returns the last field in a mask.
func topField(mask int) field {
	for f := fieldCount - 1; f > 0; f-- {
		if mask&(1<<f) != 0 {
			return f
		}
	}
	return 0
}

// adjust sets the fields of a pattern to the lengths in s. fractions adds fractions to the seconds.
func (g *generator) adjust(pattern string, found *entry, s *skeleton, fractions bool) string {
	var b strings.Builder
	for _, i := range parse(pattern) {
		r := rowOf(i.letter, i.length)
		switch {
		case i.letter == 0:
			b.WriteString(quoted(i.text))
			continue
		case r == nil:
		case fractions && r.field == second:
			b.WriteString(strings.Repeat(string(i.letter), i.length))
			b.WriteString(g.decimal + strings.Repeat("S", s.original[fraction].length))
			continue
		case s.kinds[r.field] != 0:
			i = g.adjusted(i, r, found, s)
		}
		b.WriteString(strings.Repeat(string(i.letter), i.length))
	}
	return b.String()
}

func (g *generator) adjusted(i item, r *row, found *entry, s *skeleton) item {
	f, asked := r.field, s.original[r.field]
	if asked.letter == 'E' && asked.length < 3 {
		asked.length = 3
	}
	length := asked.length
	switch {
	case f == minute || f == second:
		length = i.length
	case found.specified && asked.letter != 'c' && asked.letter != 'e':
		own, isNumber, wasNumber := found.original[f].length, r.kind > 0, found.kinds[f] > 0
		if own == asked.length || isNumber != wasNumber {
			length = i.length
		}
	}
	letter := asked.letter
	if f == hour || f == month || f == weekday || f == year && letter != 'Y' {
		letter = i.letter
	}
	if letter == 'E' && length < 3 {
		letter = 'e'
	}
	if f == hour {
		letter = g.hourLetter(asked.letter, letter)
	}
	return item{letter: letter, length: length}
}

// hourLetter returns the letter for hours: the region's if it has the same cycle as asked, otherwise found.
func (g *generator) hourLetter(asked, found byte) byte {
	switch {
	case asked == g.hour, asked == 'h' && g.hour == 'K', asked == 'H' && g.hour == 'k', asked == 'k' && g.hour == 'H', asked == 'K' && g.hour == 'h':
		return g.hour
	}
	return found
}

// quoted quotes a text if it contains letters, so that these are not fields.
func quoted(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '\'' }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
