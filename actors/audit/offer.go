package audit

import (
	"bytes"
	"encoding/json"

	"github.com/toolscript/toolscript"
)

// Offer is what a server offers: its tools, and the bytes of their definitions.
type Offer struct {
	Tools int `json:"tools"`
	Bytes int `json:"bytes"`
}

// Offers are what the servers of tools offer.
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

// Definition is the part of the definition of a tool in tools/list that clients give to a
// model, as JSON without white space.
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
