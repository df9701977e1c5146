package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/transport/builtin/documents"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/upstream"
)

// FetchURL is the tool fetchUrl.
var FetchURL = tool.Tool{
	Name:  "fetchUrl",
	Title: "Fetch web pages",
	Description: "Fetch web pages as Markdown. A page is kept in the file cabinet under its fileKey, announced on the board (fetchFromFC), " +
		"and not fetched again for 24 hours. Private addresses are refused.",
	Input: `{"type": "object", "required": ["urls"], "additionalProperties": false, "properties": {
		"urls": {"type": ["string", "array"], "items": {"type": "string"}, "minItems": 1, "maxItems": 20},
		"maxLength": {"type": "integer", "minimum": 1, "default": 51200, "description": "bytes of each page to return; fetchFromFC returns the whole page"}}}`,
	Output: `{"type": "object", "required": ["fetches"], "additionalProperties": false, "properties": {
		"fetches": {"type": "array", "items": {"type": "object", "required": ["fileKey", "url", "title", "content", "tokens", "cached"], "additionalProperties": false,
			"properties": {"fileKey": {"type": "string", "description": "for fetchFromFC; empty if the page could not be fetched"}, "url": {"type": "string"}, "title": {"type": "string"},
			"content": {"type": "string", "description": "Markdown"}, "tokens": {"type": "integer", "description": "of the whole page, estimated"},
			"cached": {"type": "boolean"}, "error": {"type": "string", "description": "why the page could not be fetched, if others could"}}}}}}`,
	Annotations: reads(),
	Run:         tool.Func(fetchURL),
}

// reads returns the annotations of a tool that reads the web.
func reads() toolscript.Annotations {
	a, yes := tool.Reads(), true
	a.OpenWorld = &yes
	return a
}

const (
	defaultLength = 50 << 10
	cacheTime     = 24 * time.Hour
	parallel      = 4
)

type fetchArgs struct {
	URLs      tool.Strings `json:"urls"`
	MaxLength int          `json:"maxLength"`
}

type fetchResult struct {
	Fetches []fetched `json:"fetches"`
}

type fetched struct {
	FileKey string `json:"fileKey"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	Content string `json:"content"`
	Tokens  int    `json:"tokens"`
	Cached  bool   `json:"cached"`
	Error   string `json:"error,omitempty"`
}

// fetchURL fetches pages. It fails only if no page can be fetched.
func fetchURL(ctx context.Context, w *tool.Workspace, args fetchArgs) (fetchResult, error) {
	f, err := newFetcher(w)
	if err != nil {
		return fetchResult{}, err
	}
	length := args.MaxLength
	if length == 0 {
		length = defaultLength
	}
	all, failures := f.all(ctx, args.URLs)
	failed := 0
	for i, err := range failures {
		if err != nil {
			all[i] = fetched{URL: args.URLs[i], Error: err.Error()}
			failed++
		}
		all[i].Content = texts.Cut(all[i].Content, length)
	}
	if failed == len(all) {
		return fetchResult{}, errors.Join(failures...)
	}
	return fetchResult{all}, nil
}

// fetcher fetches pages and caches them in the store.
type fetcher struct {
	client  *http.Client
	convert upstream.ConvertPort
	answers *budget.Budget
	store   documents.Store
}

func newFetcher(w *tool.Workspace) (fetcher, error) {
	store, err := documents.Of(w)
	return fetcher{newClient(w.Settings.Web.AllowHosts), w.Convert, w.Answers, store}, err
}

// all fetches pages, at most parallel of them at a time.
func (f fetcher) all(ctx context.Context, urls []string) ([]fetched, []error) {
	results, failures := make([]fetched, len(urls)), make([]error, len(urls))
	turns := make(chan struct{}, parallel)
	var group sync.WaitGroup
	for i, text := range urls {
		group.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			if results[i], failures[i] = f.one(ctx, text); failures[i] != nil {
				failures[i] = fmt.Errorf("%.200q cannot be fetched: %w", text, failures[i])
			}
		})
	}
	group.Wait()
	return results, failures
}

// inFlight locks each page that is being fetched, so that it is fetched only once.
var inFlight = keyed{locks: map[string]*counted{}}

// one returns a page from the store, or fetches and saves it.
func (f fetcher) one(ctx context.Context, text string) (_ fetched, err error) {
	defer rescue.Catch(func(p *rescue.Error) { err = fmt.Errorf("a fault of toolscript ended the call: %v", p.Reason) })
	u, err := parseURL(text)
	if err != nil {
		return fetched{}, err
	}
	key := fileKey(u)
	defer inFlight.lock(key)()
	if err := ctx.Err(); err != nil {
		return fetched{}, err
	}
	d, err := f.store.Document(ctx, key)
	if err == nil && time.Since(d.SavedAt) < cacheTime {
		return describe(d, true), nil
	}
	if err != nil && toolscript.KindOf(err) != toolscript.NotFound {
		return fetched{}, err
	}
	p, err := f.load(ctx, u)
	if err != nil {
		return fetched{}, err
	}
	d = documents.Document{
		Announcement: documents.Announcement{FileKey: key, Title: p.title, URL: u.String(), Tokens: documents.Tokens(p.content), SavedAt: time.Now().UTC()},
		Content:      p.content,
	}
	return describe(d, false), f.store.Save(d)
}

func describe(d documents.Document, cached bool) fetched {
	return fetched{FileKey: d.FileKey, URL: d.URL, Title: d.Title, Content: d.Content, Tokens: d.Tokens, Cached: cached}
}

// fileKey returns the key of the page at an address.
func fileKey(u *url.URL) string {
	sum := sha256.Sum256([]byte(u.String()))
	return "web_" + hex.EncodeToString(sum[:8])
}
