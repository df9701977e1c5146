package status

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/toolscript/toolscript/cmd/terminal"
)

// maxMarks is the maximum number of combining characters after a character. More of them
// would be drawn over other lines.
const maxMarks = 2

// safe returns a text of a server or a script on one line, without characters that could
// change the terminal.
func safe(text string) string {
	text = terminal.OneLine(strings.ToValidUTF8(text, "\uFFFD"))
	marks := 0
	return strings.Map(func(r rune) rune {
		if !unicode.In(r, unicode.Mn, unicode.Me) {
			marks = 0
			return r
		}
		if marks++; marks > maxMarks {
			return -1
		}
		return r
	}, text)
}

// duration formats a duration with at most two units.
func duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0 ms"
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return twoUnits(d, time.Minute, "min", time.Second, "s")
	case d < 24*time.Hour:
		return twoUnits(d, time.Hour, "h", time.Minute, "min")
	default:
		return twoUnits(d, 24*time.Hour, "d", time.Hour, "h")
	}
}

func twoUnits(d, big time.Duration, bigName string, small time.Duration, smallName string) string {
	text := fmt.Sprintf("%d %s", d/big, bigName)
	if rest := d % big / small; rest > 0 {
		text += fmt.Sprintf(" %d %s", rest, smallName)
	}
	return text
}

// milliseconds formats a duration that is given in the unit of the events.
func milliseconds(ms float64) string { return duration(time.Duration(ms * 1e6)) }

// whole formats a duration without fractions of a second.
func whole(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(max(d, 0).Seconds()))
	}
	return duration(d.Truncate(time.Second))
}

// size formats a number of bytes.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 10_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
}

// of formats the used part of a limit. A limit of 0 means that there is no limit.
func of[T int | int64 | time.Duration](used, limit T, unit func(T) string) string {
	if limit == 0 {
		return unit(used)
	}
	return unit(used) + "/" + unit(limit)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// clock formats the local time of day.
func clock(t time.Time) string { return t.Local().Format(time.TimeOnly) }

// count formats a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
