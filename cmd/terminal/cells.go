package terminal

import (
	"strconv"
	"time"
)

// LocalTime returns a time in the zone of the reader, to the second.
func LocalTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// OrDash returns a number, or a dash in place of zero.
func OrDash(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}
