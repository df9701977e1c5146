package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/toolscript/toolscript"
)

const (
	maxOwners     = 10_000 // resources whose servers are remembered
	maxOwnerPages = 100    // pages of a list that are read to find a server
)

// owners finds the server of a resource.
type owners struct {
	mu    sync.Mutex
	known map[string]string // servers by URI, as the lists have named them
}

// learn records that a server has listed a resource. If several list it, the first one counts.
func (o *owners) learn(uri, server string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil || len(o.known) >= maxOwners {
		o.known = map[string]string{}
	}
	if _, is := o.known[uri]; !is {
		o.known[uri] = server
	}
}

// forget removes all known servers of resources.
func (o *owners) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.known = nil
}

var errNoResource = &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("no server has this resource")}

// of returns the server of a resource: the server that lists it, else the one with a template that fits it. The
// error is errNoResource if there is none.
func (o *owners) of(ctx context.Context, g Gateway, uri string) (string, error) {
	o.mu.Lock()
	server, known := o.known[uri]
	o.mu.Unlock()
	if known {
		return server, nil
	}
	server, err := first(ctx, g, toolscript.ListResources, func(e ownedEntry) bool {
		o.learn(e.URI, e.Server)
		return e.URI == uri
	})
	if server != "" || err != nil {
		return server, err
	}
	server, err = first(ctx, g, toolscript.ListTemplates, func(e ownedEntry) bool { return toolscript.FitsTemplate(e.URITemplate, uri) })
	if server == "" && err == nil {
		err = errNoResource
	}
	return server, err
}

// ofTemplate returns the server of a resource template.
func (*owners) ofTemplate(ctx context.Context, g Gateway, template string) (string, error) {
	server, err := first(ctx, g, toolscript.ListTemplates, func(e ownedEntry) bool { return e.URITemplate == template })
	if server == "" && err == nil {
		err = errNoResource
	}
	return server, err
}

// ownedEntry is a resource or a resource template, with its server.
type ownedEntry struct{ Server, URI, URITemplate string }

// first returns the server of the first entry of a list for which is returns true; "" if there is none.
func first(ctx context.Context, g Gateway, list string, is func(ownedEntry) bool) (string, error) {
	q := toolscript.FetchRequest{ID: list, Selected: true}
	for range maxOwnerPages {
		raw, err := g.Fetch(ctx, q)
		if err != nil {
			return "", err
		}
		page := toolscript.Page{Of: q.Collection()}
		if err := json.Unmarshal(raw, &page); err != nil {
			return "", err
		}
		for _, entry := range page.Entries {
			var e ownedEntry
			if json.Unmarshal(entry, &e) == nil && is(e) {
				return e.Server, nil
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	return "", nil
}
