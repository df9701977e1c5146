package setup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/egress"
)

// URL is the address of the official registry.
const URL = "https://registry.modelcontextprotocol.io"

// Bounds of requests and of cached answers.
const (
	requestTime = 20 * time.Second
	mostBytes   = 8 << 20
	pageSize    = 100
	mostPages   = 5
	freshTime   = 10 * time.Minute    // a younger copy is used without a request
	copyTime    = 30 * 24 * time.Hour // an older copy is not used
	mostCopies  = 200
)

// Client sends requests to a registry.
type Client struct {
	URL   string                           // "" is the official registry
	Dir   string                           // folder for copies of answers; "": no copies are kept
	Now   func() time.Time                 // nil means time.Now
	Older func(at time.Time, reason error) // called if the registry is unreachable and a copy of this time is used
}

// Search returns the latest versions of the servers whose names contain a text, except
// deleted ones; see ranked for the order. more reports whether the registry has further
// servers that were not read.
func (c *Client) Search(ctx context.Context, text string) (found []Entry, more bool, err error) {
	found, more, err = c.pages(ctx, text)
	if err != nil || !more || strings.Contains(text, "/") {
		return ranked(text, found), more, err
	}
	// Too many names contain the text, as "github" in all of io.github.*: put the servers
	// first whose own names begin with it.
	own, _, err := c.pages(ctx, "/"+text)
	return ranked(text, append(own, found...)), true, err
}

// pages reads the pages of one search.
func (c *Client) pages(ctx context.Context, text string) (found []Entry, more bool, err error) {
	query := url.Values{"search": {text}, "version": {"latest"}, "limit": {fmt.Sprint(pageSize)}}
	for range mostPages {
		var list struct {
			Servers  []Entry `json:"servers"`
			Metadata struct {
				NextCursor string `json:"nextCursor"`
			} `json:"metadata"`
		}
		if err := c.get(ctx, "/v0.1/servers?"+query.Encode(), &list); err != nil {
			return nil, false, err
		}
		found = append(found, list.Servers...)
		if list.Metadata.NextCursor == "" {
			return found, false, nil
		}
		query.Set("cursor", list.Metadata.NextCursor)
	}
	return found, true, nil
}

// ranked sorts the servers: first those whose own name is the text, then those whose own
// name begins with it, then those whose own name contains it. It omits servers whose
// publisher's name alone contains the text, if there are others.
func ranked(text string, all []Entry) []Entry {
	seen := map[string]bool{}
	var found []Entry
	for _, e := range all {
		if IsName(e.Server.Name) && e.Meta.Official.Status != deleted && !seen[e.Server.Name] {
			seen[e.Server.Name] = true
			found = append(found, e)
		}
	}
	rank := func(e Entry) int { return e.Server.rank(strings.ToLower(text)) }
	slices.SortStableFunc(found, func(a, b Entry) int { return cmp.Compare(rank(a), rank(b)) })
	if others := slices.IndexFunc(found, func(e Entry) bool { return rank(e) == inPublisher }); others > 0 {
		found = found[:others]
	}
	return found
}

// Get returns one version of a server; "" is the latest version. The error is NotFound if
// the registry does not have the version, or if it was deleted.
func (c *Client) Get(ctx context.Context, name, version string) (Entry, error) {
	var e Entry
	version = cmp.Or(version, "latest")
	err := c.get(ctx, "/v0.1/servers/"+url.PathEscape(name)+"/versions/"+url.PathEscape(version), &e)
	switch {
	case toolscript.KindOf(err) == toolscript.NotFound:
		return e, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("the registry has no server %.200q in version %.50q", name, version)}
	case err == nil && e.Meta.Official.Status == deleted:
		why := ""
		if m := e.Meta.Official.StatusMessage; m != "" {
			why = fmt.Sprintf(": %.200q", m)
		}
		return e, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("the server %.200q in version %.50q was deleted from the registry%s", name, version, why)}
	case err == nil && e.Server.Name != name:
		return e, fmt.Errorf("the registry at %s answered with the server %.80q instead of %.80q", c.base(), e.Server.Name, name)
	}
	return e, err
}

func (c *Client) base() string { return strings.TrimSuffix(cmp.Or(c.URL, URL), "/") }

// get sends a request for a path, and decodes the answer or a copy of it.
func (c *Client) get(ctx context.Context, path string, into any) error {
	if err := checkURL(c.base()); err != nil {
		return err
	}
	kept, at, has := c.recall(path)
	if has && c.now().Sub(at) < freshTime {
		return decode(kept, into)
	}
	text, err := c.fetch(ctx, path)
	switch {
	case err == nil:
		if err := decode(text, into); err != nil {
			return fmt.Errorf("the registry at %s: %w", c.base(), err)
		}
		c.keep(path, text)
		return nil
	case has && toolscript.KindOf(err) != toolscript.NotFound && ctx.Err() == nil:
		if c.Older != nil {
			c.Older(at, err)
		}
		return decode(kept, into)
	}
	return err
}

// checkURL refuses a registry whose answers others could change in transit.
func checkURL(base string) error {
	u, err := url.Parse(base)
	loopback := err == nil && egress.IsLoopback(u.Hostname())
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !loopback) {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("%.200q is not the address of a registry: it must begin with https://, or http:// on this machine", base)}
	}
	return nil
}

func (c *Client) fetch(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	resp, done, err := c.request(ctx, c.base()+path) //nolint:bodyclose // done closes it
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the registry at %s cannot be reached: %w; name another one with --registry", c.base(), err)}
	}
	defer done()
	text, err := io.ReadAll(io.LimitReader(resp.Body, mostBytes+1))
	switch {
	case err != nil:
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the registry at %s: %w", c.base(), err)}
	case resp.StatusCode == http.StatusNotFound:
		return nil, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("the registry at %s has no such server", c.base())}
	case resp.StatusCode != http.StatusOK:
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the registry at %s answered with the status %d", c.base(), resp.StatusCode)}
	case len(text) > mostBytes:
		return nil, &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the registry at %s answered with more than %d MB", c.base(), mostBytes>>20)}
	}
	return text, nil
}

// request sends a request. The caller calls done after it has read the answer. Redirects do not leave https, and do
// not lead to an address that is more internal than the address of the registry.
func (c *Client) request(ctx context.Context, address string) (resp *http.Response, done func(), err error) {
	base, err := url.Parse(c.base())
	if err != nil {
		return nil, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Accept", "application/json, */*;q=0.1")
	request.Header.Set("User-Agent", "toolscript/"+toolscript.Version)
	guard := egress.NewGuard(egress.GuardOptions{Written: []*url.URL{base}, Hint: "if it is right, name that registry with --registry"})
	client := http.Client{Transport: guard, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 5 {
			return errors.New("too many redirects")
		}
		return checkURL(r.URL.Scheme + "://" + r.URL.Host)
	}}
	resp, err = client.Do(request) //nolint:gosec // G704: the registry that the user names, or a file that it names
	if err != nil {
		guard.CloseIdleConnections()
		if of, is := errors.AsType[*url.Error](err); is { // without the address, which is long
			err = of.Err
		}
		return nil, nil, err
	}
	return resp, func() {
		_ = resp.Body.Close() // it was only read
		guard.CloseIdleConnections()
	}, nil
}

func decode(text []byte, into any) error {
	if err := json.Unmarshal(rawjson.TrimMark(text), into); err != nil {
		return fmt.Errorf("the answer is not that of an MCP Registry of version v0.1: %w", err)
	}
	return nil
}

func (c *Client) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// copyOf returns the path of the copy of an answer.
func (c *Client) copyOf(path string) string {
	sum := sha256.Sum256([]byte(c.base() + path))
	return filepath.Join(c.Dir, hex.EncodeToString(sum[:16])+".json")
}

// recall reads the copy of an answer.
func (c *Client) recall(path string) (text []byte, at time.Time, ok bool) {
	if c.Dir == "" || files.CheckPrivateDir(c.Dir) != nil {
		return nil, at, false
	}
	info, err := os.Lstat(c.copyOf(path))
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostBytes || c.now().Sub(info.ModTime()) > copyTime {
		return nil, at, false
	}
	text, err = os.ReadFile(c.copyOf(path))
	return text, info.ModTime(), err == nil && json.Valid(text)
}

// keep writes the copy of an answer. If there are too many copies, it deletes all of them.
func (c *Client) keep(path string, text []byte) {
	if c.Dir == "" {
		return
	}
	if entries, err := os.ReadDir(c.Dir); err == nil && len(entries) >= mostCopies {
		for _, e := range entries {
			_ = os.Remove(filepath.Join(c.Dir, e.Name()))
		}
	}
	_ = files.Write(c.copyOf(path), text) // a copy only saves time
}
