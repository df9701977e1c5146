package mcp

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// outputTemplate is the template of the resources that hold the omitted parts of results. part is value or output;
// range is a range of bytes such as 0-9999.
var outputTemplate = mcp.NewResourceTemplate("toolscript://runs/{run}/{part}{?range}", "run-output",
	mcp.WithTemplateDescription("The whole value or console output of a run that was too large for its result"))

// maxRead is the maximum length of one answer of the resource, in bytes.
const maxRead = 64 << 10

func outputURI(runID, part string) string { return "toolscript://runs/" + runID + "/" + part }

// ValueURI returns the URI of a range of bytes of a run's value.
func ValueURI(runID string, from, to int) string {
	return fmt.Sprintf("%s?range=%d-%d", outputURI(runID, "value"), from, to)
}

// readOutput answers resources/read for the template.
func (e *entrance) readOutput(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	u, err := url.Parse(request.Params.URI)
	if err != nil {
		return nil, fmt.Errorf("not the URI of a run's output: %w", err)
	}
	runID, part, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	if u.Host != "runs" || part != "value" && part != "output" {
		return nil, fmt.Errorf("%.100q is not the URI of a run's output, such as %s", request.Params.URI, ValueURI("run_0123456789abcdef", 0, 9999))
	}
	q := toolscript.OutputQuery{Value: part == "value"}
	if err := q.ParseRange(u.Query().Get("range")); err != nil {
		return nil, err
	}
	if q.To == 0 || q.To-q.From > maxRead {
		q.To = q.From + maxRead
	}
	text, err := e.kept(ctx, runID, q)
	if err != nil {
		return nil, err
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{
		URI: request.Params.URI, MIMEType: "text/plain", Text: strings.ToValidUTF8(string(text), "\ufffd"),
	}}, nil
}

// ReadOn returns the call that reads the value of a run from an offset on.
func ReadOn(runID string, from int) string {
	return fmt.Sprintf(`run_script {"run": %q, "from": %d}`, runID, from)
}

// wholeRunes removes an incomplete character at the end of a text.
func wholeRunes(text []byte) []byte {
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}

// restTokens is the default size of the part that rest returns, in tokens.
const restTokens = 5_000

// rest answers run_script with a part of a value that was too large for its result, for
// clients that cannot read resources.
func (e *entrance) rest(ctx context.Context, args runArgs) (*mcp.CallToolResult, error) {
	if args.Run == "" {
		return mcp.NewToolResultError("from needs run, the id of the run whose value is read"), nil
	}
	tokens := args.MaxTokens
	if tokens == 0 {
		tokens = restTokens
	}
	q := toolscript.OutputQuery{Value: true, From: args.From, To: args.From + int64(tokens*terminal.BytesPerToken)}
	text, err := e.kept(ctx, args.Run, q)
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	r := runResult{OK: true, Run: args.Run, Notices: args.notes}
	if more := int64(len(text)) == q.To-q.From; more {
		text = wholeRunes(text)
		r.Notices = append(r.Notices, fmt.Sprintf("the value goes on: %s", ReadOn(args.Run, int(q.From)+len(text))))
	} else {
		r.Notices = append(r.Notices, "this is the end of the value")
	}
	r.Rest = strings.ToValidUTF8(string(text), "\ufffd")
	return &mcp.CallToolResult{StructuredContent: r}, nil
}

// kept reads a value or output that this process, or else the gateway, has stored.
func (e *entrance) kept(ctx context.Context, runID string, q toolscript.OutputQuery) ([]byte, error) {
	text, err := e.Kept(runID, q)
	if toolscript.KindOf(err) != toolscript.NotFound {
		return text, err
	}
	g, release, err := e.Gateway(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return g.RunOutput(ctx, runID, q)
}
