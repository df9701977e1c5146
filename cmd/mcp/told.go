package mcp

import (
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
)

// tell rewrites the messages of a result for an agent; see Options.Told. Values and the
// output of scripts stay the same.
func (e *entrance) tell(result *mcp.CallToolResult) {
	switch r := result.StructuredContent.(type) {
	case nil:
		for i, block := range result.Content {
			if t, is := block.(mcp.TextContent); is && result.IsError {
				result.Content[i] = mcp.NewTextContent(e.told(t.Text))
			}
		}
	case searchResult:
		r.Hint, r.Notices, r.Missing = e.told(r.Hint), e.all(r.Notices), slices.Clone(r.Missing)
		for i := range r.Missing {
			r.Missing[i].Error = e.told(r.Missing[i].Error)
		}
		result.StructuredContent = r
	case describeResult:
		r.Errors, r.Notices = e.all(r.Errors), e.all(r.Notices)
		result.StructuredContent = r
	case runResult:
		r.Notices = e.all(r.Notices)
		if r.Error != nil {
			failed := *r.Error
			failed.Message, r.Error = e.told(failed.Message), &failed
		}
		result.StructuredContent = r
	}
}

func (e *entrance) told(text string) string {
	if e.Told == nil {
		return text
	}
	return e.Told(text)
}

func (e *entrance) all(texts []string) []string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		texts[i] = e.told(text)
	}
	return texts
}
