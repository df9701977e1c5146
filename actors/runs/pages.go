package runs

import (
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rawjson"
)

// located returns the value of a call for the script. For a call that asked for a page, the
// value has the page, its place among the others, and the tool for errors: see pages.js of the
// prelude. A failed call has no value.
func located(c *runCall, tool toolscript.Tool, v outcome, raw json.RawMessage) outcome {
	value := v.value
	if _, _, asked, _ := toolscript.CutPage(c.Args); !asked || len(value) == 0 {
		return v
	}
	about, _ := toolscript.PlainJSON(struct { // strings always encode
		toolscript.PagePlace
		Server string `json:"server"`
		Tool   string `json:"tool"`
	}{pageOf(raw), tool.Server, tool.ID()})
	whole := make(json.RawMessage, 0, len(about)+len(value)+len(`,"page":`))
	whole = append(whole, about[:len(about)-1]...)
	whole = append(whole, `,"page":`...)
	return outcome{value: append(append(whole, value...), '}')}
}

// pageOf returns the place of a page; the zero PagePlace for a result without pages.
func pageOf(raw json.RawMessage) (place toolscript.PagePlace) {
	if r, err := parseResult(raw); err == nil {
		r.about(toolscript.PageKey, &place)
	}
	return place
}

// about decodes a member of _meta into into. It ignores a member of another type.
func (r result) about(key string, into any) {
	if r.meta == nil {
		return
	}
	rawjson.Object(r.meta, func(name string, value json.RawMessage) {
		if name == key {
			_ = json.Unmarshal(value, into)
		}
	})
}
