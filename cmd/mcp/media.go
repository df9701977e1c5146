package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/cmd/terminal"
)

// handleKey is the member of _meta of a content block that holds the handle of its data.
const handleKey = "toolscript/handle"

// show keeps the images and sounds of a value for the result, in which they become content blocks after the text.
func (s *script) show(v json.RawMessage) (notices []string) {
	var left int
	if s.media, left = s.Media(s.runID, v); left > 0 {
		notices = append(notices, fmt.Sprintf("%d images or sounds of the value are not shown, because of limits.mediaBlocks and limits.mediaBytes; return fewer or smaller ones", left))
	}
	return notices
}

func contentOf(m terminal.Medium) mcp.Content {
	meta := mcp.NewMetaFromMap(map[string]any{handleKey: m.Handle})
	if m.Kind == mcp.ContentTypeAudio {
		return mcp.AudioContent{Meta: meta, Type: m.Kind, Data: m.Data, MIMEType: m.MimeType}
	}
	return mcp.ImageContent{Meta: meta, Type: m.Kind, Data: m.Data, MIMEType: m.MimeType}
}
