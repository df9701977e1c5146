package api

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync/atomic"
)

// requestIDs numbers requests. The random prefix differs between gateways.
type requestIDs struct {
	prefix string
	last   *atomic.Uint64
}

func newRequestIDs() requestIDs {
	return requestIDs{prefix: strings.ToLower(rand.Text()[:6]), last: new(atomic.Uint64)}
}

func (r requestIDs) next() string { return fmt.Sprintf("%s-%d", r.prefix, r.last.Add(1)) }
