package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/toolscript/toolscript/actors/execution/outputs"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// bytesPerToken estimates the length of a token. English text and JSON have 3 to 5 bytes
// per token.
const bytesPerToken = 4

// terminalTokens is the default length of a value on a terminal.
const terminalTokens = 10_000

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

// shape says how a value is printed. The zero value prints it unchanged.
type shape struct {
	most      int  // bytes of JSON; 0 means no limit
	describes bool // binary data is replaced by descriptors
	keep      func(runID string, value []byte) error
	say       func(format string, args ...any)
}

// shape comes from the flag, else from the configuration, else it depends on the
// terminal.
func (o *execOptions) shape() shape {
	s := shape{keep: o.keepWhole, say: o.say}
	tokens, said := o.maxTokens.n, o.maxTokens.given
	if !said {
		tokens, said = o.configuredTokens(o.trust)
	}
	switch {
	case said:
		s.most, s.describes = tokens*bytesPerToken, tokens > 0
	case terminal.Is(o.Stdout):
		s.most, s.describes = terminalTokens*bytesPerToken, true
	default:
		s.describes = true
	}
	return s
}

// configuredTokens returns output.maxTokens of the configuration. An error in the
// configuration is reported where a run starts.
func (a *app) configuredTokens(trust bool) (tokens int, set bool) {
	loaded, err := config.Load(a.host.ConfigOptions(trust))
	if err != nil || loaded.Settings.Output.MaxTokens == nil {
		return 0, false
	}
	return *loaded.Settings.Output.MaxTokens, true
}

// keepWhole stores a value of which only a part is printed.
func (a *app) keepWhole(runID string, value []byte) error {
	return a.host.Outputs().Put(runID, outputs.Value, value)
}

// cutValue describes a shortened value in the output of --json.
type cutValue struct {
	Bytes  int    `json:"bytes"`  // of the whole value as JSON
	Tokens int    `json:"tokens"` // estimated
	Read   string `json:"read"`   // command that prints the whole value
}

// printed is the text to print: compact JSON. The whole value is stored if the text is
// shorter. A value that cannot be stored is printed whole.
func (s shape) printed(runID string, value json.RawMessage) (text []byte, cut *cutValue) {
	if !s.describes && s.most == 0 {
		return value, nil
	}
	text = value
	var blobs []blob
	if s.describes {
		text, blobs = describeBlobs(runID, value)
	}
	short, read := text, len(text)
	if s.most > 0 {
		short, read = cutJSON(text, s.most)
	}
	if len(blobs) == 0 && len(short) == len(value) {
		return value, nil
	}
	command := "toolscript output " + runID + " --value"
	if err := s.keep(runID, value); err != nil {
		s.say("toolscript: warning: the whole value is printed, because it cannot be stored: %s", withoutPath(err))
		return value, nil
	}
	if len(blobs) > 0 {
		s.say("toolscript: %s", blobNotice(runID, blobs))
	}
	if read < len(text) {
		rest := command
		if len(blobs) == 0 {
			rest += fmt.Sprintf(" --range %d-%d", read, read+s.most-1)
		}
		s.say("toolscript: the value is %d bytes of JSON, about %d tokens; this is only the beginning; read on with: %s", len(value), len(value)/bytesPerToken, rest)
	}
	return short, &cutValue{len(value), len(value) / bytesPerToken, command}
}
