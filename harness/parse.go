package harness

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness/detect"
)

// Parsed is the result of Parse.
type Parsed struct {
	Success bool         `json:"success"`
	Script  *Script      `json:"script,omitempty"`
	Error   string       `json:"error,omitempty"`
	Cause   *ScriptError `json:"cause,omitempty"` // all that Error summarizes
}

// Script is a script that can run.
type Script struct {
	SourceCode string   `json:"sourceCode"`
	HasReturn  bool     `json:"hasReturn"` // from its top level
	Metadata   Metadata `json:"metadata"`
}

// Metadata are facts about a script.
type Metadata struct {
	Bytes     int      `json:"bytes"`
	Tools     []string `json:"tools"`     // that it names, such as "github.createIssue", sorted
	MayUseAll bool     `json:"mayUseAll"` // it may use other tools, too: tools[name]
	Cached    bool     `json:"cached"`    // the same text was parsed before
}

// Parse examines a script that begins at a place of its message, and runs nothing of it:
// its encoding and size, its syntax, banned constructs, and its types. The error says why it
// could not be examined.
func Parse(ctx context.Context, g Gateway, code string, start detect.Position) (Parsed, error) {
	start.Line, start.Column = max(1, start.Line), max(1, start.Column)
	p := &process{gateway: g, options: Options{Mode: DryRun}, emit: func(Item) error { return nil }}
	r := &run{process: p, id: newScriptID(), start: start}
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
