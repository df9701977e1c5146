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

// survey is a list that hubs are asked for again when it is old.
type survey struct {
	find      func(context.Context) ([]string, error)
	age, most time.Duration // time after which known is outdated; it grows up to most while nothing changes

	mu     sync.Mutex
	known  []string  // what hubs have answered last
	asked  time.Time // time of the last question; zero if something has changed since then
	asking bool
}

// changed makes the next use ask again.
func (s *survey) changed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = time.Time{}
}

// refresh asks if known is outdated, without waiting for the answers. It is called with mu held.
func (s *survey) refresh() {
	if time.Since(s.asked) > s.age {
		s.ask()
	}
}

// ask asks, unless a question has no answer yet. It is called with mu held.
func (s *survey) ask() {
	if s.asking {
		return
	}
	s.asking, s.asked = true, time.Now()
	go func() {
		found, err := s.find(context.Background())
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asking = false
		if err != nil {
			return // the connection has ended; what is known stays
		}
		if slices.Equal(found, s.known) {
			s.age = min(2*s.age, s.most)
		}
		s.known = found
	}()
}

// route chooses the hub of each request to a server that several hubs offer, once one of them has
// not answered. Before that, NATS chooses. NATS does not notice a stopped hub, and would go on to
// send it a share of the requests.
type route struct {
	survey // the ids of the hubs that answer; none: NATS chooses

	link *link
	next int
}

// route returns the route to a server. A route outlives the connections to its server.
func (l *link) route(server string) *route {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.routes[server]
	if r == nil {
		r = &route{link: l, survey: survey{age: routeAge, most: routeAgeMost, find: func(ctx context.Context) ([]string, error) {
			return cluster.Hubs(ctx, l.nc, server)
		}}}
		l.routes[server] = r
	}
	return r
}

// hub returns the hub for the next request; "" means that NATS chooses.
func (r *route) hub() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) == 0 {
		return ""
	}
	r.refresh()
	r.next++
	return r.known[r.next%len(r.known)]
}

// doubt is called when a hub leaves a request unanswered; hub is "" if it is not known. The hub
// gets no more requests until it answers.
func (r *route) doubt(hub string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := len(r.known)
	r.known = slices.DeleteFunc(r.known, func(h string) bool { return h == hub })
	if known == 0 || len(r.known) < known {
		r.age = routeAge
		r.ask()
	}
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
