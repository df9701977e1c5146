package server

import (
	"encoding/json"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// errNotOffered is the error of a request for a resource or a prompt that the configuration
// does not select.
var errNotOffered = errors.New("includeTools or excludeTools of the server leaves it out")

// selects returns the error of a request that the configuration does not select.
func selects(c upstream.Config, o toolscript.FetchRequest) error {
	name := o.Prompt
	if name == "" {
		name = o.URI
	}
	if !o.Selected || o.Collection() != "" || c.Selects(name) {
		return nil
	}
	return &toolscript.Error{Kind: toolscript.NotFound, Err: errNotOffered}
}

// selected leaves out the entries of a page that the configuration does not select.
func selected(c upstream.Config, o toolscript.FetchRequest, result json.RawMessage) (json.RawMessage, error) {
	if !o.Selected || o.Collection() == "" || len(c.IncludeTools)+len(c.ExcludeTools) == 0 {
		return result, nil
	}
	page := toolscript.Page{Of: o.Collection()}
	if err := json.Unmarshal(result, &page); err != nil {
		return nil, err
	}
	all := page.Entries
	page.Entries = nil
	for _, entry := range all {
		var e struct{ Name, URI, URITemplate string }
		if json.Unmarshal(entry, &e) != nil {
			continue // impossible: the connection has read it
		}
		name := e.Name
		if page.Of != toolscript.Prompts {
			name = e.URI + e.URITemplate
		}
		if c.Selects(name) {
			page.Entries = append(page.Entries, entry)
		}
	}
	return toolscript.PlainJSON(page)
}
