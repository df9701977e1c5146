package hub

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

const (
	// A route asks which hubs answer when its knowledge is older than routeAge. The age grows up to routeAgeMost.
	// Hubs also announce when they come or go.
	routeAge     = 5 * time.Second
	routeAgeMost = time.Minute
)

// route chooses the hub of each request to a server that several hubs offer, once one of them has
// not answered. Before that, NATS chooses. NATS does not notice a stopped hub, and would go on to
// send it a share of the requests.
type route struct {
	link   *link
	server string

	mu     sync.Mutex
	hubs   []string // ids of the hubs that have answered; empty: NATS chooses
	next   int
	age    time.Duration // time after which hubs is outdated
	asked  time.Time     // time of the last question; zero if something has changed since then
	asking bool
}

// route returns the route to a server. A route outlives the connections to its server.
func (l *link) route(server string) *route {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.routes[server]
	if r == nil {
		r = &route{link: l, server: server, age: routeAge}
		l.routes[server] = r
	}
	return r
}

// hub returns the hub for the next request; "" means that NATS chooses.
func (r *route) hub() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.hubs) == 0 {
		return ""
	}
	if time.Since(r.asked) > r.age {
		r.ask()
	}
	r.next++
	return r.hubs[r.next%len(r.hubs)]
}

// doubt is called when a hub leaves a request unanswered; hub is "" if it is not known. The hub
// gets no more requests until it answers.
func (r *route) doubt(hub string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := len(r.hubs)
	r.hubs = slices.DeleteFunc(r.hubs, func(h string) bool { return h == hub })
	if known == 0 || len(r.hubs) < known {
		r.age = routeAge
		r.ask()
	}
}

// changed makes the next request ask for the hubs again.
func (r *route) changed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = time.Time{}
}

// ask finds the hubs that answer. It is called with mu held.
func (r *route) ask() {
	if r.asking {
		return
	}
	r.asking, r.asked = true, time.Now()
	go func() {
		found, err := cluster.Hubs(context.Background(), r.link.nc, r.server)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asking = false
		if err != nil {
			return // the connection has ended
		}
		if slices.Equal(found, r.hubs) {
			r.age = min(2*r.age, routeAgeMost)
		}
		r.hubs = found
	}()
}

// direct sets the receiver of a request. It is called before the request is added, or with
// link.mu held.
func (r *request) direct(server, verb string) {
	hub, token := r.route.hub(), wire.Anyone
	if hub != "" {
		token = hub
	}
	r.hub, r.subject = hub, r.route.link.names.Server(server, verb, token)
}

// elsewhere sends a request that had no receiver to another hub. It returns false if no hub is
// left.
func (r *request) elsewhere() bool {
	if r.route == nil || r.send == nil {
		return false
	}
	l := r.link
	l.mu.Lock()
	before := r.hub
	l.mu.Unlock()
	if before == "" {
		return false // NATS knows of no hub
	}
	r.route.doubt(before)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.requests[r.number] == r { // else it has ended, and its caller has the error
		r.direct(r.about.Server, wire.Invoke)
		r.send()
	}
	return true
}
