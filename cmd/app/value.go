package app

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/logfile"
)

// Duration is a duration with a unit. It refuses a number without a unit: that means
// milliseconds in the configuration, but a user who types --timeout 5 means seconds.
type Duration time.Duration

func (d *Duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

// Type implements pflag.Value.
func (d *Duration) Type() string { return "duration" }

// Set implements pflag.Value.
func (d *Duration) Set(text string) error {
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
	*d = Duration(parsed)
	return nil
}

// Choice is one of several words.
type Choice struct {
	Value   string
	Choices []string
}

func (c *Choice) String() string { return c.Value }

// Type implements pflag.Value.
func (c *Choice) Type() string { return strings.Join(c.Choices, "|") }

// Set implements pflag.Value.
func (c *Choice) Set(text string) error {
	text = strings.ToLower(text)
	if !slices.Contains(c.Choices, text) {
		return fmt.Errorf("want one of %s", strings.Join(c.Choices, ", "))
	}
	c.Value = text
	return nil
}

// Port is a TCP port; 0 selects a free port.
type Port int

func (p *Port) String() string { return strconv.Itoa(int(*p)) }

// Type implements pflag.Value.
func (p *Port) Type() string { return "port" }

// Set implements pflag.Value.
func (p *Port) Set(text string) error {
	number, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return errors.New("want a port from 0 to 65535, where 0 is any free port")
	}
	*p = Port(number)
	return nil
}

// Count is a whole number of 1 or more.
type Count struct {
	N    int64
	Unit string // unit for the help, such as MB; "" is n
	Most int64  // maximum; 0: the maximum of an int32
}

func (c *Count) String() string {
	if c.N == 0 {
		return ""
	}
	return strconv.FormatInt(c.N, 10)
}

// Type implements pflag.Value.
func (c *Count) Type() string { return cmp.Or(c.Unit, "n") }

// Set implements pflag.Value.
func (c *Count) Set(text string) error {
	number, err := strconv.ParseInt(text, 10, 32)
	switch {
	case err == nil && number >= 1 && (c.Most == 0 || number <= c.Most):
		c.N = number
		return nil
	case c.Most > 0:
		return fmt.Errorf("want a whole number from 1 to %d", c.Most)
	case c.Unit != "":
		return fmt.Errorf("want a whole number of %s from 1 up", c.Unit)
	default:
		return errors.New("want a whole number from 1 up")
	}
}

// Bytes is a length, given as a number of bytes, KB or MB.
type Bytes int64

func (b *Bytes) String() string {
	if *b == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Type implements pflag.Value.
func (b *Bytes) Type() string { return "bytes" }

// Set implements pflag.Value.
func (b *Bytes) Set(text string) error {
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
	*b = Bytes(number * unit)
	return nil
}

// AddTrust adds --trust to a command that reads the configuration.
func AddTrust(f *pflag.FlagSet, trust *bool) {
	f.BoolVar(trust, "trust", false, "use the project's configuration for this command without trusting it")
}

// Tokens is a number of tokens; 0 means no limit.
type Tokens struct {
	N     int
	Given bool
}

func (t *Tokens) String() string {
	if !t.Given {
		return ""
	}
	return strconv.Itoa(t.N)
}

// Type implements pflag.Value.
func (t *Tokens) Type() string { return "n" }

// Set implements pflag.Value.
func (t *Tokens) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return errors.New("want a whole number from 0 up, where 0 prints the whole value")
	}
	*t = Tokens{int(n), true}
	return nil
}

var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// Level is the lowest level of a log, and of the logs of some sources:
// info,server=debug. It also accepts level names of other programs, because many
// programs read LOG_LEVEL.
type Level struct {
	Choice
	Sources map[string]slog.Level // by name; see logfile.Sources

	text string
}

var levelAliases = map[string]string{"trace": "debug", "warning": "warn", "critical": "error", "fatal": "error"}

func (l *Level) String() string { return cmp.Or(l.text, l.Value) }

// Set implements pflag.Value.
func (l *Level) Set(text string) error {
	next := Level{Choice: l.Choice, Sources: map[string]slog.Level{}, text: text}
	for part := range strings.SplitSeq(text, ",") {
		source, name, ofSource := strings.Cut(strings.TrimSpace(part), "=")
		if !ofSource {
			name = source
		}
		one := Choice{Choices: l.Choices}
		if err := one.Set(cmp.Or(levelAliases[strings.ToLower(name)], name)); err != nil {
			return err
		}
		switch {
		case !ofSource:
			next.Value = one.Value
		case !slices.Contains(logfile.Sources(), source):
			return fmt.Errorf("%q is no source of the log, as server is in server=debug; there are %s", source, strings.Join(logfile.Sources(), ", "))
		default:
			next.Sources[source] = levels[one.Value]
		}
	}
	*l = next
	return nil
}

// Or returns the level of the flag, or another level if the flag is not set.
func (l *Level) Or(level slog.Level) slog.Level {
	if asked, ok := levels[l.Value]; ok {
		return asked
	}
	return level
}
