package discovery

import (
	"net/url"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/egress"
)

// Session returns the id of the session that this process belongs to, or "".
func Session(lookupEnv func(string) (string, bool)) string {
	if id, _ := lookupEnv("CLAUDE_CODE_SESSION_ID"); id != "" {
		return id
	}
	id, _ := lookupEnv("SESSION_ID")
	return id
}

// Find returns the gateways that a command should use, the newest first: those of the
// session, else those without a session for the same configuration files. If session is "",
// all gateways for these files are candidates. Find does not check whether they are
// healthy.
func (p Places) Find(session string, configPaths []string) ([]Entry, error) {
	entries, err := p.List()
	if err != nil {
		return nil, err
	}
	entries = Serving(entries)
	same := func(e Entry) bool { return slices.Equal(e.Config, configPaths) }
	if session == "" {
		return selectEntries(entries, same), nil
	}
	if own := selectEntries(entries, func(e Entry) bool { return e.Session == session }); len(own) > 0 {
		return own, nil
	}
	return selectEntries(entries, func(e Entry) bool { return e.Session == "" && same(e) }), nil
}

// OfClient returns the gateways that belong to an agent's process, the newest first.
func (p Places) OfClient(client Process) ([]Entry, error) {
	entries, err := p.List()
	return selectEntries(entries, func(e Entry) bool { return e.Client != nil && *e.Client == client && e.Here() }), err
}

// Again returns the gateways of OfClient that a new start of the client can reuse: those of
// this version with exactly these configuration files.
func (p Places) Again(client Process, configPaths []string) ([]Entry, error) {
	entries, err := p.OfClient(client)
	return selectEntries(entries, func(e Entry) bool { return e.Reusable(configPaths) }), err
}

// Reusable reports whether the gateway has this version and exactly these configuration files.
func (e Entry) Reusable(configPaths []string) bool {
	return e.Version == toolscript.Version && slices.Equal(e.Config, configPaths)
}

// Same returns the gateways of exactly this session and these configuration files, the
// newest first.
func (p Places) Same(session string, configPaths []string) ([]Entry, error) {
	entries, err := p.List()
	return selectEntries(Serving(entries), func(e Entry) bool { return e.Session == session && slices.Equal(e.Config, configPaths) }), err
}

// Serving returns the entries of gateways that commands use, stop and show: all except embedded ones.
func Serving(entries []Entry) []Entry {
	return selectEntries(entries, func(e Entry) bool { return !e.Embedded })
}

// Embedded returns the gateways inside toolscript mcp that read one of these configuration
// files. Clients start that command in various folders, so it seldom reads all of the files.
func (p Places) Embedded(configPaths []string) ([]Entry, error) {
	read := func(path string) bool { return slices.Contains(configPaths, path) }
	entries, err := p.List()
	return selectEntries(entries, func(e Entry) bool { return e.Embedded && slices.ContainsFunc(e.Config, read) }), err
}

// Reading returns the gateways whose configuration includes a file, the newest first.
func (p Places) Reading(path string) ([]Entry, error) {
	entries, err := p.List()
	return selectEntries(entries, func(e Entry) bool { return slices.Contains(e.Config, path) }), err
}

// Complete adds the capability to the URL of a gateway on this machine that has only a host
// and a port. It returns other URLs, and URLs without an entry for their port, unchanged.
func (p Places) Complete(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || strings.Trim(u.Path, "/") != "" || !egress.IsLoopback(u.Hostname()) {
		return address, nil //nolint:nilerr // connecting to the address gives a better error
	}
	entries, err := p.List()
	for _, e := range entries {
		if own, failed := url.Parse(e.URL); failed == nil && own.Port() == u.Port() {
			return e.URL, nil
		}
	}
	return address, err
}

func selectEntries(entries []Entry, wanted func(Entry) bool) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return !wanted(e) })
}
