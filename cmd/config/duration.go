package config

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// ParseDuration parses a duration such as 500ms, 30s, 5m or 1h30m. A bare number is in
// milliseconds, which the command line does not accept. The result is never negative.
func ParseDuration(text string) (time.Duration, error) {
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		if ms >= 0 && ms <= math.MaxInt64/int64(time.Millisecond) {
			return time.Duration(ms) * time.Millisecond, nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return d, nil
	}
	return 0, fmt.Errorf("%s is not a duration such as 500ms, 30s or 5m; a bare number is milliseconds", quoted(text))
}

// The limits of durations in a file.
const (
	minDuration = time.Millisecond
	maxDuration = 24 * time.Hour
)

// checkDuration implements the format toolscript-duration of the schema.
func checkDuration(value any) error {
	text, ok := value.(string)
	if !ok {
		return nil // the schema bounds numbers
	}
	d, err := ParseDuration(text)
	if err == nil && (d < minDuration || d > maxDuration) {
		err = fmt.Errorf("not between %s and %s", minDuration, maxDuration)
	}
	return err
}

// duration returns a validated duration, or 0 if there is none.
func (n *node) duration() time.Duration {
	if text := n.text(); text != "" {
		d, _ := ParseDuration(text) // it is validated; a text with an unset variable is not used
		return d
	}
	return time.Duration(n.count()) * time.Millisecond
}

// integer is count as an int.
func (n *node) integer() int { return int(n.count()) }

// count returns a whole number, or 0 if there is none. 5e3 is a whole number too, which the
// parser keeps as a float.
func (n *node) count() int64 {
	if n == nil {
		return 0
	}
	switch v := n.value.(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	default:
		return 0
	}
}
