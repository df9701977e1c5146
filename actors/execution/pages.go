package execution

import (
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/rawjson"
)

// located returns the value of a call for the script. For a call that asked for a page, it has
// the page, its place among the others, and the tool for errors: see pages.js of the prelude. A
// failed call has no value.
func located(c *call, tool toolscript.Tool, value, raw json.RawMessage) json.RawMessage {
	if len(value) == 0 || !toolscript.AsksForPage(c.Args) {
		return value
	}
	about, _ := json.Marshal(struct { // strings always encode
		toolscript.PagePlace
		Server string `json:"server"`
		Tool   string `json:"tool"`
	}{pageOf(raw), tool.Server, tool.ID()})
	whole := make(json.RawMessage, 0, len(about)+len(value)+len(`,"page":`))
	whole = append(whole, about[:len(about)-1]...)
	whole = append(whole, `,"page":`...)
	return append(append(whole, value...), '}')
}

// pageOf returns the place of a page, which stands in _meta of the result. A result that is
// not divided has none.
func pageOf(raw json.RawMessage) (place toolscript.PagePlace) {
	r, err := parseResult(raw)
	if err != nil || r.meta == nil {
		return place
	}
	rawjson.Object(r.meta, func(name string, value json.RawMessage) {
		if name == toolscript.PageKey {
			_ = json.Unmarshal(value, &place) // what is no place is none
		}
	})
	return place
}
