package server

import (
	"context"
	"errors"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/upstream"
)

// maxVisits is how often one call may ask for pages. Some servers ask without end.
const maxVisits = 3

// pages has the open pages by the server's id: people were asked to open them, and the server has not reported them
// as finished. It is safe for concurrent use.
type pages struct {
	mu   sync.Mutex
	open map[string]*page
}

type page struct {
	finished chan struct{} // closed when the server reports the page as finished
	visitors int
}

// enter registers a visitor of a page, until leave is called. A page without an id is never finished.
func (p *pages) enter(id string) (finished <-chan struct{}, leave func()) {
	if id == "" {
		return nil, func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = map[string]*page{}
	}
	visited := p.open[id]
	if visited == nil {
		visited = &page{finished: make(chan struct{})}
		p.open[id] = visited
	}
	visited.visitors++
	return visited.finished, sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if visited.visitors--; visited.visitors == 0 && p.open[id] == visited {
			delete(p.open, id)
		}
	})
}

// finish tells the visitors of a page that it is finished. An unknown id has no effect.
func (p *pages) finish(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if visited := p.open[id]; visited != nil {
		close(visited.finished)
		delete(p.open, id)
	}
}

// any reports whether a page is open.
func (p *pages) any() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open) > 0
}

// askPage asks a person a question. If its page is finished before there is an answer, the person
// has opened the page, so the question is accepted.
func askPage(ctx context.Context, q toolscript.Question, ask func(context.Context, toolscript.Question) (toolscript.Answer, error)) (toolscript.Answer, error) {
	if q.Finished == nil {
		return ask(ctx, q)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	defer close(ended)
	mailbox.Go(func() {
		select {
		case <-q.Finished:
			cancel()
		case <-ended:
		}
	}, func(error) {})
	answer, err := ask(ctx, q)
	select {
	case <-q.Finished:
		return toolscript.Answer{ID: answer.ID, Action: toolscript.Accept}, nil
	default:
		return answer, err
	}
}

// pagesOf returns the pages that a call has to wait for; nil if there are none.
func pagesOf(err error) *upstream.PagesError {
	e, _ := errors.AsType[*upstream.PagesError](err)
	return e
}

// mayVisit reports whether the call can be made again after a person has finished pages.
func (m *Call) mayVisit(err error) bool {
	return m.Ask != nil && m.visits < maxVisits && pagesOf(err) != nil
}

// visitPages asks the person behind a call to open the pages that its server wants, waits until the server
// reports them as finished, and makes the call again.
func (s *Server) visitPages(m Call, refused error) {
	m.visits++
	var questions []toolscript.Question
	var leave []func()
	for _, q := range pagesOf(refused).Pages {
		q.Server, q.Await = s.Name, true
		finished, left := s.pages.enter(q.Page)
		q.Finished, leave = finished, append(leave, left)
		questions = append(questions, q)
	}
	ctx, cancel := context.WithTimeout(m.Ctx, toolscript.AskLimit)
	ended := context.AfterFunc(s.life, cancel)
	s.Work.Go(func() {
		defer func() {
			ended()
			cancel()
			for _, f := range leave {
				f()
			}
		}()
		for _, q := range questions {
			if why := visit(ctx, q, m.Ask); why != nil {
				m.Origin.SetRefused(why.Error())
				m.Reply(nil, m.unvisited(refused))
				return
			}
		}
		s.post(visited{m})
	}, func(err error) { m.Reply(nil, err) })
}

// unvisited returns the error of a call whose pages are not finished.
func (m *Call) unvisited(refused error) error {
	if m.Ctx.Err() == nil {
		return refused
	}
	return unsent(named(mailbox.ContextError(m.Ctx), toolscript.Error{Tool: m.Tool}))
}

// visit returns nil when a page is finished, else why it is not.
func visit(ctx context.Context, q toolscript.Question, ask func(context.Context, toolscript.Question) (toolscript.Answer, error)) error {
	answer, err := askPage(ctx, q, ask)
	if err != nil {
		return err
	}
	if answer.Action != toolscript.Accept {
		return errors.New("the person did not agree to open " + q.Host())
	}
	select {
	case <-q.Finished:
		return nil
	case <-ctx.Done():
		return errors.New("the server did not report in time that the page at " + q.Host() + " is finished")
	}
}
