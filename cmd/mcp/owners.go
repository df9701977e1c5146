package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
)

const (
	maxOwners = 10_000 // resources whose servers are remembered
	maxPages  = 100    // pages of a list that are read to find an entry
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
	server := ""
	err := each(ctx, g, list, func(entry json.RawMessage) bool {
		var e ownedEntry
		if json.Unmarshal(entry, &e) == nil && is(e) {
			server = e.Server
			return false
		}
		return true
	})
	return server, err
}

// each calls use for each entry of a list of the servers, until it returns false.
func each(ctx context.Context, g Gateway, list string, use func(entry json.RawMessage) bool) error {
	cursor := ""
	for range maxPages {
		page, err := pageOf(ctx, g, toolscript.FetchRequest{ID: list, Selected: true, Cursor: cursor})
		if err != nil {
			return err
		}
		for _, entry := range page.Entries {
			if !use(entry) {
				return nil
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	return nil
}

// pageOf returns one page of a list.
func pageOf(ctx context.Context, g Gateway, q toolscript.FetchRequest) (toolscript.Page, error) {
	page := toolscript.Page{Of: q.Collection()}
	raw, err := g.Fetch(ctx, q)
	if err == nil {
		err = json.Unmarshal(raw, &page)
	}
	return page, err
}

// pageOwner returns the server of a page, and the URI that the server itself uses for the page. uri may be that URI,
// which apps use, or the one from a list or from the _meta of a tool, which clients use. server is "" if there is no
// such page.
func pageOwner(ctx context.Context, g Gateway, uri string) (server, own string, err error) {
	all, err := g.AppTools(ctx)
	if err != nil {
		return "", "", err
	}
	var owners []string
	for _, t := range all.Tools {
		switch {
		case t.UI == nil || t.UI.Page == "":
		case servedURI(toolscript.PageScheme, t.ServerName, t.UI.Page) == uri:
			return t.ServerName, t.UI.Page, nil
		case t.UI.Page == uri && !slices.Contains(owners, t.ServerName):
			owners = append(owners, t.ServerName)
		}
	}
	switch len(owners) {
	case 0:
	case 1:
		return owners[0], uri, nil
	default:
		return "", "", &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("several servers have this page: %s", strings.Join(owners, ", "))}
	}
	_, err = first(ctx, g, toolscript.ListResources, func(e ownedEntry) bool {
		is := strings.HasPrefix(e.URI, toolscript.PageScheme) && servedURI(toolscript.PageScheme, e.Server, e.URI) == uri
		if is {
			server, own = e.Server, e.URI
		}
		return is
	})
	return server, own, err
}

// readPage reads the page with a URI of pageOwner. It returns nil if there is no such page.
func readPage(ctx context.Context, g Gateway, uri string) (json.RawMessage, error) {
	if !strings.HasPrefix(uri, toolscript.PageScheme) {
		return nil, nil
	}
	server, own, err := pageOwner(ctx, g, uri)
	if server == "" || err != nil {
		return nil, err
	}
	raw, err := g.Fetch(ctx, toolscript.FetchRequest{ID: toolscript.ReadResource, Selected: true, Server: server, URI: own})
	if err != nil {
		return nil, err
	}
	return withURI(raw, own, uri)
}

// withURI replaces a URI in the contents of a resource.
func withURI(raw json.RawMessage, own, served string) (json.RawMessage, error) {
	var result map[string]json.RawMessage
	var contents []map[string]json.RawMessage
	if json.Unmarshal(raw, &result) != nil || json.Unmarshal(result["contents"], &contents) != nil {
		return nil, errors.New("the answer of the server cannot be read")
	}
	for _, c := range contents {
		var uri string
		if json.Unmarshal(c["uri"], &uri) == nil && uri == own {
			c["uri"], _ = json.Marshal(served) // a text always has a JSON form
		}
	}
	text, err := toolscript.PlainJSON(contents)
	if err != nil {
		return nil, err
	}
	result["contents"] = text
	return toolscript.PlainJSON(result)
}
