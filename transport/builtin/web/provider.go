package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/egress"
	"github.com/toolscript/toolscript/transport/upstream"
)

// most is the maximum number of results that a provider returns.
const most = 20

// maxAnswer is the maximum size of a provider's answer, in bytes.
const maxAnswer = 4 << 20

// provider searches the web. Its address comes from the configuration, so it may be a
// private address, such as a SearXNG on this machine.
type provider struct {
	upstream.SearchSettings
	client  *http.Client
	answers *budget.Budget
}

// addresses maps providers to the addresses of their APIs.
var addresses = map[string]string{
	upstream.Perplexity: "https://api.perplexity.ai/search",
	upstream.Brave:      "https://api.search.brave.com/res/v1/web/search",
}

func newProvider(s upstream.SearchSettings, answers *budget.Budget) (provider, error) {
	if s.Provider == "" {
		return provider{}, errors.New(`no provider is configured for webSearch; set "web": {"search": {"provider": …}} for the server in .toolscript.json`)
	}
	s.URL = cmp.Or(s.URL, addresses[s.Provider])
	if err := checkAPI(s); err != nil {
		return provider{}, err
	}
	return provider{s, &http.Client{
		Transport: egress.NewTransport(), Timeout: requestTime,
		// A redirect would take the key to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, answers}, nil
}

// checkAPI refuses an address to which the key would be sent unencrypted over a network.
func checkAPI(s upstream.SearchSettings) error {
	u, err := url.Parse(s.URL)
	if err != nil || u.Hostname() == "" {
		return errors.New("the url of the search is not a URL")
	}
	ip, err := netip.ParseAddr(u.Hostname())
	here := u.Hostname() == "localhost" || err == nil && egress.ReachOf(ip) == egress.Local
	if u.Scheme != "https" && s.Key != "" && !here {
		return errors.New("the key of the search is sent over https only, or to this machine")
	}
	return nil
}

// search returns the results of one query, the best first.
func (p provider) search(ctx context.Context, query string, limit int) ([]hit, error) {
	limit = min(limit, most)
	var hits []hit
	var err error
	switch p.Provider {
	case upstream.Perplexity:
		hits, err = p.perplexity(ctx, query, limit)
	case upstream.Brave:
		hits, err = p.brave(ctx, query, limit)
	default:
		hits, err = p.searxng(ctx, query)
	}
	if err != nil {
		return nil, fmt.Errorf("the search at %s failed: %w", p.Provider, err)
	}
	return hits[:min(len(hits), limit)], nil
}

func (p provider) perplexity(ctx context.Context, query string, limit int) ([]hit, error) {
	body, err := json.Marshal(map[string]any{"query": query, "max_results": limit})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+p.Key)
	var answer struct {
		Results []struct{ URL, Title, Snippet string } `json:"results"`
	}
	if err := p.do(req, &answer); err != nil {
		return nil, err
	}
	var hits []hit
	for _, r := range answer.Results {
		hits = append(hits, hit{URL: r.URL, Title: r.Title, Snippet: r.Snippet})
	}
	return hits, nil
}

func (p provider) brave(ctx context.Context, query string, limit int) ([]hit, error) {
	req, err := p.get(ctx, p.URL, url.Values{"q": {query}, "count": {strconv.Itoa(limit)}})
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-Subscription-Token", p.Key)
	var answer struct {
		Web struct {
			Results []struct{ URL, Title, Description string } `json:"results"`
		} `json:"web"`
	}
	if err := p.do(req, &answer); err != nil {
		return nil, err
	}
	var hits []hit
	for _, r := range answer.Web.Results {
		hits = append(hits, hit{URL: r.URL, Title: r.Title, Snippet: r.Description})
	}
	return hits, nil
}

func (p provider) searxng(ctx context.Context, query string) ([]hit, error) {
	req, err := p.get(ctx, strings.TrimSuffix(p.URL, "/")+"/search", url.Values{"q": {query}, "format": {"json"}})
	if err != nil {
		return nil, err
	}
	if p.Key != "" {
		req.Header.Set("Authorization", "Bearer "+p.Key)
	}
	var answer struct {
		Results []struct {
			URL, Title, Content string
			Score               *float64
		} `json:"results"`
	}
	if err := p.do(req, &answer); err != nil {
		return nil, err
	}
	var hits []hit
	for _, r := range answer.Results {
		hits = append(hits, hit{r.URL, r.Title, r.Content, r.Score})
	}
	return hits, nil
}

func (p provider) get(ctx context.Context, address string, query url.Values) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, address+"?"+query.Encode(), nil)
}

// do sends a request and reads the answer. Errors do not contain the key.
func (p provider) do(req *http.Request, answer any) error {
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "toolscript/"+toolscript.Version)
	resp, err := p.client.Do(req) //nolint:gosec // the address is part of the configuration
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // without the query
		}
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("it answered %s", resp.Status)
	}
	ctx, release := budget.Hold(req.Context())
	defer release()
	text, err := upstream.ReadAnswer(ctx, p.answers.Lease(ctx), resp, maxAnswer)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(rawjson.TrimMark(text), answer); err != nil {
		return fmt.Errorf("its answer cannot be read: %w", err)
	}
	return nil
}
