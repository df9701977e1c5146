package date

import "strings"

// field is a kind of field, in the order of the pattern generator of ICU.
type field int

const (
	era field = iota
	year
	quarter
	month
	weekOfYear
	weekOfMonth
	weekday
	dayOfYear
	dayOfWeekInMonth
	day
	dayPeriod
	hour
	minute
	second
	fraction
	zone
	fieldCount
)

// The kinds of fields. Their differences determine which pattern is nearest.
const (
	narrow  = -0x101
	shorter = -0x102
	short   = -0x103
	long    = -0x104
	numeric = 0x100
	delta   = 0x10
)

// row is the meaning of a letter in a pattern that is repeated at least shortest times.
type row struct {
	letter   byte
	field    field
	kind     int
	shortest int
}

// rows has the letters of CLDR patterns in the order of ICU. For a letter, the last row
// applies whose shortest fits.
var rows = []row{
	{'G', era, short, 1}, {'G', era, long, 4}, {'G', era, narrow, 5},
	{'y', year, numeric, 1}, {'Y', year, numeric + delta, 1}, {'u', year, numeric + 2*delta, 1}, {'r', year, numeric + 3*delta, 1},
	{'Q', quarter, numeric, 1}, {'Q', quarter, short, 3}, {'Q', quarter, long, 4}, {'Q', quarter, narrow, 5},
	{'q', quarter, numeric + delta, 1}, {'q', quarter, short - delta, 3}, {'q', quarter, long - delta, 4}, {'q', quarter, narrow - delta, 5},
	{'M', month, numeric, 1}, {'M', month, short, 3}, {'M', month, long, 4}, {'M', month, narrow, 5},
	{'L', month, numeric + delta, 1}, {'L', month, short - delta, 3}, {'L', month, long - delta, 4}, {'L', month, narrow - delta, 5},
	{'w', weekOfYear, numeric, 1}, {'W', weekOfMonth, numeric, 1},
	{'E', weekday, short, 1}, {'E', weekday, long, 4}, {'E', weekday, narrow, 5}, {'E', weekday, shorter, 6},
	{'c', weekday, numeric + 2*delta, 1}, {'c', weekday, short - 2*delta, 3}, {'c', weekday, long - 2*delta, 4}, {'c', weekday, narrow - 2*delta, 5},
	{'e', weekday, numeric + delta, 1}, {'e', weekday, short - delta, 3}, {'e', weekday, long - delta, 4}, {'e', weekday, narrow - delta, 5},
	{'d', day, numeric, 1}, {'D', dayOfYear, numeric, 1}, {'F', dayOfWeekInMonth, numeric, 1},
	{'a', dayPeriod, short, 1}, {'a', dayPeriod, long, 4}, {'a', dayPeriod, narrow, 5},
	{'b', dayPeriod, short - delta, 1}, {'b', dayPeriod, long - delta, 4}, {'b', dayPeriod, narrow - delta, 5},
	{'B', dayPeriod, short - 3*delta, 1}, {'B', dayPeriod, long - 3*delta, 4}, {'B', dayPeriod, narrow - 3*delta, 5},
	{'H', hour, numeric + 10*delta, 1}, {'k', hour, numeric + 11*delta, 1}, {'h', hour, numeric, 1}, {'K', hour, numeric + delta, 1},
	{'m', minute, numeric, 1}, {'s', second, numeric, 1}, {'S', fraction, numeric, 1},
	{'v', zone, short - 2*delta, 1}, {'v', zone, long - 2*delta, 4}, {'z', zone, short, 1}, {'z', zone, long, 4},
	{'O', zone, short - delta, 1}, {'O', zone, long - delta, 4},
}

// rowOf returns the row of a letter repeated length times, or nil for other letters.
func rowOf(letter byte, length int) (found *row) {
	for i := range rows {
		if r := &rows[i]; r.letter == letter && (found == nil || r.shortest <= length) {
			found = r
		}
	}
	return found
}

// item is a piece of a pattern: a field, or literal text if letter is 0.
type item struct {
	letter byte
	length int
	text   string
}

// parse splits a pattern such as h:mm 'Uhr' into its items.
func parse(pattern string) (items []item) {
	add := func(text string) {
		if last := len(items) - 1; last >= 0 && items[last].letter == 0 {
			items[last].text += text
			return
		}
		items = append(items, item{text: text})
	}
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c == '\'':
			text, length := unquote(pattern[i:])
			add(text)
			i += length
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			n := 1
			for i+n < len(pattern) && pattern[i+n] == c {
				n++
			}
			items = append(items, item{letter: c, length: n})
			i += n
		default:
			add(pattern[i : i+1])
			i++
		}
	}
	return items
}

// unquote parses a text in quotes at the start of pattern. Two quotes, inside of the text or
// alone, mean one quote.
func unquote(pattern string) (text string, length int) {
	if strings.HasPrefix(pattern, "''") {
		return "'", 2
	}
	for i := 1; i < len(pattern); i++ {
		switch {
		case pattern[i] != '\'':
			text += pattern[i : i+1]
		case strings.HasPrefix(pattern[i:], "''"):
			text += "'"
			i++
		default:
			return text, i + 1
		}
	}
	return text, len(pattern)
}

// repeated is a letter that is repeated length times.
type repeated struct {
	letter byte
	length int
}

// skeleton is the set of fields of a pattern.
type skeleton struct {
	kinds    [fieldCount]int // 0 for missing fields
	original [fieldCount]repeated
	base     string // the fields with their shortest lengths
}

func skeletonOf(pattern string) (s skeleton) {
	for _, i := range parse(pattern) {
		if i.letter != 0 {
			s.set(i.letter, i.length)
		}
	}
	if s.kinds[minute] != 0 && s.kinds[fraction] != 0 && s.kinds[second] == 0 {
		s.set('s', 1)
	}
	switch s.original[hour].letter {
	case 0:
	case 'h', 'K':
		if s.kinds[dayPeriod] == 0 {
			s.set('a', 1)
		}
	default:
		s.kinds[dayPeriod], s.original[dayPeriod] = 0, repeated{}
	}
	for f, o := range s.original {
		if s.kinds[f] != 0 {
			r := rowOf(o.letter, o.length)
			s.base += strings.Repeat(string(r.letter), r.shortest)
		}
	}
	return s
}

func (s *skeleton) set(letter byte, length int) {
	r := rowOf(letter, length)
	if r == nil {
		return
	}
	s.original[r.field] = repeated{letter, length}
	s.kinds[r.field] = r.kind
	if r.kind > 0 {
		s.kinds[r.field] += length
	}
}

func (s *skeleton) mask() (mask int) {
	for f, kind := range s.kinds {
		if kind != 0 {
			mask |= 1 << f
		}
	}
	return mask
}

// The distances for a field that only one of two skeletons has.
const (
	extraField   = 0x10000
	missingField = 0x1000
)

// distance compares the fields of s in include with other. missing and extra are masks.
func (s *skeleton) distance(other *skeleton, include int) (distance, missing, extra int) {
	for f := range s.kinds {
		own, its := 0, other.kinds[f]
		if include&(1<<f) != 0 {
			own = s.kinds[f]
		}
		switch {
		case own == its:
		case own == 0:
			distance += extraField
			extra |= 1 << f
		case its == 0:
			distance += missingField
			missing |= 1 << f
		default:
			distance += max(own-its, its-own)
		}
	}
	return distance, missing, extra
}
