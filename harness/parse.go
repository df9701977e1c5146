package harness

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness/answer"
)

// Parsed is the result of Parse.
type Parsed struct {
	Success bool         `json:"success"`
	Script  *Script      `json:"script,omitempty"`
	Error   string       `json:"error,omitempty"`
	Cause   *ScriptError `json:"cause,omitempty"` // details of Error
}

// Script is a script that has passed all checks.
type Script struct {
	SourceCode string   `json:"sourceCode"`
	HasReturn  bool     `json:"hasReturn"` // the top level has a return statement
	Metadata   Metadata `json:"metadata"`
}

// Metadata holds facts about a script.
type Metadata struct {
	Bytes     int      `json:"bytes"`
	Tools     []string `json:"tools"`     // tools that the script names, such as "github.createIssue", sorted
	MayUseAll bool     `json:"mayUseAll"` // the script may use other tools too, as with tools[name]
	Cached    bool     `json:"cached"`    // the result comes from the cache: the same text was parsed before
}

// Parse checks a script without running it: its encoding and size, syntax, banned constructs,
// and types. start is the position of the script in its message, to which positions in errors
// refer. Mistakes of the script are in Parsed. The error says why the script could not be
// checked.
func Parse(ctx context.Context, g Gateway, code string, start answer.Position) (Parsed, error) {
	start.Line, start.Column = max(1, start.Line), max(1, start.Column)
	p := &process{gateway: g, options: Options{Mode: DryRun}, emit: func(Item) error { return nil }}
	r := &scriptRun{process: p, id: newScriptID(), start: start}
	if err := r.do(ctx, code); err != nil {
		return Parsed{}, err
	}
	if e := r.out.Error; e != nil {
		if !r.ended {
			return Parsed{}, &toolscript.Error{Kind: e.Kind, Err: errorText(e.Message)}
		}
		return Parsed{Error: e.Message, Cause: e}, nil
	}
	script := &Script{SourceCode: code, Metadata: Metadata{Bytes: len(code), Tools: []string{}}}
	if f := r.out.Script; f != nil {
		script.HasReturn = f.HasReturn
		script.Metadata.Tools, script.Metadata.MayUseAll, script.Metadata.Cached = f.Tools, f.MayUseAll, f.Cached
	}
	return Parsed{Success: true, Script: script}, nil
}

type errorText string

func (e errorText) Error() string { return string(e) }
