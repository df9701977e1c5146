package cli_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPMedia: run_script returns the images and sounds of the script's value as content blocks,
// up to the limits.
func TestMCPMedia(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	picture := func(n int) string {
		return fmt.Sprintf(`{ type: "image", mimeType: "image/png", data: %q }`, base64.StdEncoding.EncodeToString(make([]byte, n)))
	}
	sound := `{ type: "audio", mimeType: "audio/wav", data: "eA==" }`
	large := fmt.Sprintf(`{ type: "image", mimeType: "image/png", data: "A".repeat(%d) }`, 4<<20/3*4)
	for _, tt := range []struct {
		name, limits, value string
		want                string // types of the content blocks
		left                int
	}{
		{"an image", `{}`, picture(10), "text image", 0},
		{"a sound in an object", `{}`, `{ note: { inner: [` + sound + `] } }`, "text audio", 0},
		{"six", `{}`, `[1, 2, 3, 4, 5, 6].map(() => (` + sound + `))`, "text audio audio audio audio", 2},
		{"a large one and a small one", `{}`, `[` + large + `, ` + picture(1) + `]`, "text image", 1},
		{"fewer", `{"mediaBlocks": 1}`, `[` + picture(1) + `, ` + sound + `]`, "text image", 1},
		{"none", `{"mediaBlocks": 0}`, picture(1), "text", 1},
		{"smaller", `{"mediaBytes": 5}`, `[` + picture(6) + `, ` + picture(5) + `]`, "text image", 1},
		{"no media", `{}`, `{ type: "image" }`, "text", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/.toolscript.json": `{"mcpServers": {}, "limits": ` + tt.limits + `}`})
			session := connectTo(t, stdio(t, w), nil, "2025-11-25")
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_script", Arguments: map[string]any{"code": "return " + tt.value}})
			if err != nil || result.IsError {
				t.Fatal(result, err)
			}
			var types, handles []string
			for _, block := range result.Content {
				switch b := block.(type) {
				case *mcp.TextContent:
					types = append(types, "text")
				case *mcp.ImageContent:
					types, handles = append(types, "image"), append(handles, fmt.Sprint(b.Meta["toolscript/handle"]))
				case *mcp.AudioContent:
					types, handles = append(types, "audio"), append(handles, fmt.Sprint(b.Meta["toolscript/handle"]))
				}
			}
			if got := strings.Join(types, " "); got != tt.want {
				t.Errorf("content blocks %s, want %s", got, tt.want)
			}
			text := textOf(t, result)
			for _, handle := range handles {
				if !strings.Contains(text, `"handle":"`+handle+`"`) {
					t.Errorf("the value has no descriptor with the handle %s: %s", handle, text)
				}
			}
			if strings.Contains(text, "beginning") || strings.Contains(text, "are not shown") != (tt.left > 0) {
				t.Errorf("notices in %.500s", text)
			}
			if tt.left > 0 && !strings.Contains(text, fmt.Sprintf(`%d image`, tt.left)) {
				t.Errorf("%.500s does not count %d", text, tt.left)
			}
		})
	}
}
