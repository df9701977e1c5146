// Package remote computes embeddings at an endpoint that speaks the embeddings
// part of OpenAI's API, as many servers do, local ones too.
package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/embedding"
)

const (
	// batch is how many texts a request has. The least limit of a known server is
	// 32.
	batch = 32
	// requestLimit bounds a request with its answer.
	requestLimit = 30 * time.Second
	// lastFailures is how many requests in a row may fail before the engine counts
	// as gone: a query that asks it would only wait.
	lastFailures = 3
)

// Options say where the endpoint is.
type Options struct {
	URL   string // of the API, such as https://api.example.com/v1
	Model string // its name there
	Key   string // sent as bearer token; "" for none
	// Client is what requests are sent with; nil is one that follows no redirects
	// and obeys the proxies of the environment.
	Client *http.Client
}

// Check says which option cannot be used. Its error holds no key.
func (o Options) Check() error {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return invalid("the URL of the embeddings endpoint is not one with http or https and a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return invalid("the URL of the embeddings endpoint has a user, a query or a fragment; a secret belongs into search.remote.key")
	case o.Model == "":
		return invalid("the embeddings endpoint needs a model: search.remote.model")
	case strings.ContainsFunc(o.Key, func(r rune) bool { return r < ' ' || r > '~' }):
		return invalid("the key of the embeddings endpoint has characters that no header may have")
	case o.Key != "" && u.Scheme == "http" && !loopback(u.Hostname()):
		return invalid("the key of the embeddings endpoint would be sent to %s in clear text; use https", u.Hostname())
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func invalid(format string, args ...any) error {
	return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf(format, args...)}
}

// Engine is an endpoint that has answered. It is safe for concurrent use.
type Engine struct {
	options  Options
	endpoint string
	form     embedding.Form
	dim      int

	mu       sync.Mutex
	failures int // in a row
	err      error
	done     chan struct{}
}

// Open asks the endpoint for one vector, to learn how long they are.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.Client == nil {
		o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	e := &Engine{options: o, endpoint: endpoint(o.URL), form: embedding.FormOf(o.Model), done: make(chan struct{})}
	first, err := e.request(ctx, []string{"hello"})
	if err != nil {
		return nil, err
	}
	e.dim = len(first[0])
	return e, e.normal(first)
}

// endpoint is where requests go; people give it with its last part and without.
func endpoint(base string) string {
	return strings.TrimSuffix(strings.TrimRight(base, "/"), "/embeddings") + "/embeddings"
}

// ID names the model and where it is: two endpoints may call two models alike.
func (e *Engine) ID() string {
	sum := sha256.Sum256([]byte(e.endpoint + "\x00" + e.options.Model))
	return fmt.Sprintf("remote-%s-%d-%s", embedding.Slug(e.options.Model), e.dim, hex.EncodeToString(sum[:4]))
}

// Dim is the length of a vector.
func (e *Engine) Dim() int { return e.dim }

// Done is closed when the endpoint has failed so often that it counts as gone.
func (e *Engine) Done() <-chan struct{} { return e.done }

// Err is why the endpoint counts as gone, once it does.
func (e *Engine) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Close lets go of connections.
func (e *Engine) Close() { e.options.Client.CloseIdleConnections() }

// Embed returns a vector of length 1 for each document.
func (e *Engine) Embed(ctx context.Context, documents []string) ([][]float32, error) {
	return e.embed(ctx, e.form.Document, documents)
}

// EmbedQuery is Embed for one query, which some models want in another form than
// documents.
func (e *Engine) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	vectors, err := e.embed(ctx, e.form.Query, []string{query})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

func (e *Engine) embed(ctx context.Context, prefix string, texts []string) ([][]float32, error) {
	var vectors [][]float32
	for len(texts) > 0 {
		n := min(batch, len(texts))
		inputs := make([]string, n)
		for i, text := range texts[:n] {
			inputs[i] = embedding.Clip(prefix + text)
		}
		texts = texts[n:]
		got, err := e.request(ctx, inputs)
		if err == nil {
			err = e.normal(got)
		}
		if e.count(ctx, err); err != nil {
			return nil, err
		}
		vectors = append(vectors, got...)
	}
	return vectors, nil
}

func (e *Engine) normal(vectors [][]float32) error {
	for _, v := range vectors {
		if err := embedding.Normal(v, e.dim); err != nil {
			return e.unavailable(fmt.Errorf("it gave %w", err))
		}
	}
	return nil
}

// count counts failures in a row. What the caller gave up tells nothing of the
// endpoint.
func (e *Engine) count(ctx context.Context, err error) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil {
		e.failures = 0
		return
	}
	if e.failures++; e.failures == lastFailures {
		e.err = err
		close(e.done)
	}
}

func (e *Engine) unavailable(err error) *toolscript.Error {
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the embeddings endpoint of model %s: %w", e.options.Model, err)}
}
