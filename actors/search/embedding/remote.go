package embedding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/egress"
)

const (
	// batch is the number of texts in a request. 32 is the smallest limit of known
	// servers.
	batch = 32
	// requestLimit bounds a request including its answer.
	requestLimit = 30 * time.Second
	// lastFailures is the number of failed requests in a row after which the
	// endpoint counts as lost, so that queries do not wait for it.
	lastFailures = 3
)

// RemoteOptions describe the endpoint.
type RemoteOptions struct {
	URL   string // URL of the API, such as https://api.example.com/v1
	Model string // name of the model at the endpoint
	Key   string // sent as bearer token; "" sends no token
	// Client sends the requests. The default client follows no redirects and uses
	// the proxies of the environment.
	Client *http.Client
}

// Check reports an invalid option. The error does not contain the key.
func (o RemoteOptions) Check() error {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return invalid("the URL of the embeddings endpoint must be an absolute http or https URL")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return invalid("the URL of the embeddings endpoint has a user, a query or a fragment; put a secret into search.remote.key")
	case o.Model == "":
		return invalid("the embeddings endpoint needs a model: search.remote.model")
	case strings.ContainsFunc(o.Key, func(r rune) bool { return r < ' ' || r > '~' }):
		return invalid("the key of the embeddings endpoint has characters that are not allowed in an HTTP header")
	case o.Key != "" && u.Scheme == "http" && !egress.IsLoopback(u.Hostname()):
		return invalid("the key of the embeddings endpoint would be sent to %s in clear text; use https", u.Hostname())
	}
	return nil
}

func invalid(format string, args ...any) error {
	return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf(format, args...)}
}

var _ Embedder = (*Engine)(nil)

// Engine is an endpoint that has answered a request. It is safe for concurrent use.
type Engine struct {
	options  RemoteOptions
	endpoint string
	form     Form
	dim      int

	mu       sync.Mutex
	failures int // failed requests in a row
	err      error
	done     chan struct{}
}

// Open requests one vector to find out the length of vectors.
func Open(ctx context.Context, o RemoteOptions) (*Engine, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.Client == nil {
		o.Client = &http.Client{Transport: egress.NewTransport(), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	e := &Engine{options: o, endpoint: endpoint(o.URL), form: FormOf(o.Model), done: make(chan struct{})}
	first, err := e.request(ctx, []string{"hello"})
	if err != nil {
		return nil, err
	}
	e.dim = len(first[0])
	return e, e.normal(first)
}

// endpoint returns the URL of the requests. base may or may not end with /embeddings.
func endpoint(base string) string {
	return strings.TrimSuffix(strings.TrimRight(base, "/"), "/embeddings") + "/embeddings"
}

// ID returns an ID of model and endpoint: two endpoints may use one name for two
// models.
func (e *Engine) ID() string {
	sum := sha256.Sum256([]byte(e.endpoint + "\x00" + e.options.Model))
	return fmt.Sprintf("remote-%s-%d-%s", Slug(e.options.Model), e.dim, hex.EncodeToString(sum[:4]))
}

// Dim returns the length of a vector.
func (e *Engine) Dim() int { return e.dim }

// Done returns a channel that is closed when the endpoint counts as lost.
func (e *Engine) Done() <-chan struct{} { return e.done }

// Err returns the reason why the endpoint counts as lost, or nil.
func (e *Engine) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Close closes idle connections.
func (e *Engine) Close() { e.options.Client.CloseIdleConnections() }

// Embed returns a vector of length 1 for each document.
func (e *Engine) Embed(ctx context.Context, documents []string) ([][]float32, error) {
	return e.embed(ctx, e.form.Document, documents)
}

// EmbedQuery returns the vector of a query. Some models expect queries in a different
// form.
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
			inputs[i] = Clip(prefix + text)
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
		if err := Normal(v, e.dim); err != nil {
			return e.unavailable(fmt.Errorf("it gave %w", err))
		}
	}
	return nil
}

// count counts failures in a row. Requests cancelled by the caller do not count.
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
