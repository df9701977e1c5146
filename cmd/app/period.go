package app

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Period is a time span before now, given in days or as a duration.
type Period time.Duration

// mostDays is the longest period. Nothing is kept for longer.
const mostDays = 3660

func (p *Period) String() string {
	const day = 24 * time.Hour
	if d := time.Duration(*p); d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	return time.Duration(*p).String()
}

// Type implements pflag.Value.
func (p *Period) Type() string { return "period" }

// Set implements pflag.Value.
func (p *Period) Set(text string) error {
	wrong := errors.New("want a number of days such as 7d, or a time such as 12h")
	if days, is := strings.CutSuffix(text, "d"); is {
		n, err := strconv.Atoi(days)
		if err != nil || n < 1 || n > mostDays {
			return wrong
		}
		*p = Period(time.Duration(n) * 24 * time.Hour)
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Minute || d > mostDays*24*time.Hour {
		return wrong
	}
	*p = Period(d)
	return nil
}
