package mcpserver

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

// outputTemplate is the resource with what a result leaves out. The part is value or
// output; the range is a range of bytes such as 0-9999.
var outputTemplate = mcp.NewResourceTemplate("toolscript://runs/{run}/{part}{?range}", "run-output",
	mcp.WithTemplateDescription("The whole value or console output of a run that was too large for its result"))

// maxRead bounds one answer of the resource, in bytes.
const maxRead = 64 << 10

func outputURI(runID, part string) string { return "toolscript://runs/" + runID + "/" + part }

// ValueURI is the resource of the whole value of a run, from a byte on.
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

// kept reads a value that this process has kept, or one that the gateway has kept.
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
