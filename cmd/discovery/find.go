package discovery

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Session is the id of the session that this process belongs to, "" outside of
// any.
func Session(lookupEnv func(string) (string, bool)) string {
	if id, _ := lookupEnv("CLAUDE_CODE_SESSION_ID"); id != "" {
		return id
	}
	id, _ := lookupEnv("SESSION_ID")
	return id
}

// Find returns the gateways that a command of a session should use, the newest
// first: those of the session, else those that were started with the same
// configuration files. Whether one is healthy is for the caller to ask.
func (f Folder) Find(session string, configPaths []string) ([]Entry, error) {
	entries, err := f.List()
	if err != nil {
		return nil, err
	}
	if session != "" {
		if own := selectEntries(entries, func(e Entry) bool { return e.Session == session }); len(own) > 0 {
			return own, nil
		}
	}
	return selectEntries(entries, func(e Entry) bool { return slices.Equal(e.Config, configPaths) }), nil
}

// FindPort returns the gateway that listens on a port of this machine.
func (f Folder) FindPort(port int) (Entry, bool, error) {
	entries, err := f.List()
	if err != nil {
		return Entry{}, false, err
	}
	for _, e := range entries {
		if u, err := url.Parse(e.URL); err == nil && u.Port() == strconv.Itoa(port) {
			return e, true, nil
		}
	}
	return Entry{}, false, nil
}

// Complete gives the whole URL of a gateway on this machine that the user named
// by host and port alone. A URL that has a path, or that names another machine,
// and one whose port no entry knows are returned as they are.
func (f Folder) Complete(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || strings.Trim(u.Path, "/") != "" || !isLoopback(u.Hostname()) {
		return address, nil //nolint:nilerr // whoever dials the address reports it better
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		return address, nil //nolint:nilerr // without a port there is nothing to look for
	}
	e, ok, err := f.FindPort(port)
	if err != nil || !ok {
		return address, err
	}
	return e.URL, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func selectEntries(entries []Entry, wanted func(Entry) bool) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return !wanted(e) })
}
