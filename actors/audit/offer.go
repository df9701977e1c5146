package audit

import (
	"bytes"
	"encoding/json"

	"github.com/toolscript/toolscript"
)

// Offer is the number of the tools of a server, and the bytes of their definitions.
type Offer struct {
	Tools int `json:"tools"`
	Bytes int `json:"bytes"`
}

// Offers returns the Offer of each server of the tools, by name.
func Offers(tools []toolscript.Tool) map[string]Offer {
	all := map[string]Offer{}
	for _, t := range tools {
		o := all[t.Server]
		o.Tools++
		o.Bytes += len(t.Name) + len(t.Description) + len(t.InputSchema)
		all[t.Server] = o
	}
	return all
}

// Definition returns the part of a tool's definition in tools/list that clients give to a model,
// as JSON without white space.
func Definition(t toolscript.Tool) []byte {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if err := to.Encode(struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}{t.Name, t.Description, t.InputSchema}); err != nil { // the schema is not JSON
		return []byte(t.Name + t.Description + string(t.InputSchema))
	}
	return bytes.TrimSpace(b.Bytes())
}
