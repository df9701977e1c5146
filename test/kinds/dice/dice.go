// Package dice is a kind of server for the tests of package kinds. Its tool rolls a die.
package dice

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Kind is the kind of servers that roll dice. The file that rolls names has one name of a side in
// each line.
var Kind = upstream.Kind{
	Type: "dice", Words: []string{"die"}, About: "rolls a die", Page: "configuration.md",
	Schema: `{
  "sides": {"description": "The number of sides.", "type": "integer", "minimum": 2},
  "names": {"description": "A file with the names of the sides.", "type": "string"}}`,
	Required: `"required": ["sides"]`, Keys: []string{"sides", "names", "startupTimeout"},
	Settings: []string{"sides", "names"}, Paths: [][]string{{"names"}},
	Missing: func(_ []string, cfg upstream.Config) (string, error) {
		s, err := read(cfg)
		if err == nil && s.Names != "" {
			_, err = os.Stat(s.Names)
		}
		return `create the file, or correct "names"`, err
	},
	Dial: func(h upstream.Host) upstream.Dial {
		return upstream.DialWith(func(_ context.Context, name string, cfg upstream.Config, on upstream.Events) (*upstream.Conn, error) {
			s, err := read(cfg)
			if err != nil {
				return nil, &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: err}
			}
			tools := &upstream.List{}
			tools.Add(upstream.Tool{
				Tool: toolscript.Tool{Name: "roll", InputSchema: json.RawMessage(`{"type": "object"}`)},
				Run: func(context.Context, string, json.RawMessage) (any, error) {
					return fmt.Sprintf("one of %d, %s", s.Sides, s.Names), nil
				},
			})
			return upstream.New(upstream.Options{Name: name, Tools: tools, Qualified: true, Events: on, Answers: h.Answers}), nil
		})
	},
}

type settings struct {
	Sides int    `json:"sides"`
	Names string `json:"names"` // absolute path
}

func read(cfg upstream.Config) (s settings, err error) {
	err = json.Unmarshal(cfg.API, &s)
	return s, err
}
