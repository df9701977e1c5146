package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/cmd/config"
)

// durationFlag is a duration with a unit. The configuration takes a number without a
// unit as milliseconds, but a user who types --timeout 5 means seconds.
type durationFlag time.Duration

func (d *durationFlag) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *durationFlag) Type() string { return "duration" }

func (d *durationFlag) Set(text string) error {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return errors.New("the number has no unit; want a duration such as 5s, 500ms or 2m")
	}
	parsed, err := config.ParseDuration(text)
	if err != nil {
		return errors.New("want a duration such as 5s, 500ms or 2m")
	}
	if parsed < time.Millisecond {
		return errors.New("want 1ms or more")
	}
	*d = durationFlag(parsed)
	return nil
}

// choiceFlag is one of several words.
type choiceFlag struct {
	value   string
	choices []string
}

func (c *choiceFlag) String() string { return c.value }
func (c *choiceFlag) Type() string   { return strings.Join(c.choices, "|") }

func (c *choiceFlag) Set(text string) error {
	text = strings.ToLower(text)
	if !slices.Contains(c.choices, text) {
		return fmt.Errorf("want one of %s", strings.Join(c.choices, ", "))
	}
	c.value = text
	return nil
}

// portFlag is a TCP port; 0 selects a free port.
type portFlag int

func (p *portFlag) String() string { return strconv.Itoa(int(*p)) }
func (p *portFlag) Type() string   { return "port" }

func (p *portFlag) Set(text string) error {
	number, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return errors.New("want a port from 0 to 65535, where 0 is any free port")
	}
	*p = portFlag(number)
	return nil
}

// megabytesFlag is an amount of memory in megabytes.
type megabytesFlag int64

func (m *megabytesFlag) String() string {
	if *m == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*m), 10)
}

func (m *megabytesFlag) Type() string { return "MB" }

func (m *megabytesFlag) Set(text string) error {
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil || number < 1 {
		return errors.New("want a whole number of megabytes from 1 up")
	}
	*m = megabytesFlag(number)
	return nil
}

// countFlag is a number of 1 or more.
type countFlag struct {
	n    int64
	unit string // in the help
}

func (c *countFlag) String() string {
	if c.n == 0 {
		return ""
	}
	return strconv.FormatInt(c.n, 10)
}

func (c *countFlag) Type() string { return c.unit }

func (c *countFlag) Set(text string) error {
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil || number < 1 {
		return errors.New("want a whole number from 1 up")
	}
	c.n = number
	return nil
}

// bytesFlag is a length: a number of bytes, or of KB or MB.
type bytesFlag int64

func (b *bytesFlag) String() string {
	if *b == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*b), 10)
}

func (b *bytesFlag) Type() string { return "bytes" }

func (b *bytesFlag) Set(text string) error {
	digits, unit := strings.ToUpper(text), int64(1)
	for suffix, size := range map[string]int64{"KB": 1 << 10, "MB": 1 << 20} {
		if rest, ok := strings.CutSuffix(digits, suffix); ok {
			digits, unit = rest, size
		}
	}
	number, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || number < 1 {
		return errors.New("want a number of bytes from 1 up, such as 500, 20KB or 1MB")
	}
	*b = bytesFlag(number * unit)
	return nil
}

// addTrust adds --trust to a command that reads the configuration.
func addTrust(f *pflag.FlagSet, trust *bool) {
	f.BoolVar(trust, "trust", false, "use the project's configuration for this command without trusting it")
}

// tokensFlag is a number of tokens; 0 means no limit.
type tokensFlag struct {
	n     int
	given bool
}

func (t *tokensFlag) String() string {
	if !t.given {
		return ""
	}
	return strconv.Itoa(t.n)
}

func (t *tokensFlag) Type() string { return "n" }

func (t *tokensFlag) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return errors.New("want a whole number from 0 up, where 0 prints the whole value")
	}
	*t = tokensFlag{int(n), true}
	return nil
}
