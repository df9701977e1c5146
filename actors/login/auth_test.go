package login_test

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/login"
	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/transport/oauth"
)

const redirect = "http://127.0.0.1:7/oauth/callback"

// rig runs the actor in a synctest bubble, with real authorization servers outside.
type rig struct {
	t  *testing.T
	at mailbox.Address
	as *oauthserver.Server
}

func run(t *testing.T, test func(*rig)) {
	t.Helper()
	runWith(t, oauthserver.Options{Closing: true}, test)
}

func runWith(t *testing.T, o oauthserver.Options, test func(*rig)) {
	t.Helper()
	as := oauthserver.Start(t, o)
	synctest.Test(t, func(t *testing.T) {
		engine, err := actor.NewEngine(actor.NewEngineConfig())
		if err != nil {
			t.Fatal(err)
		}
		work, life := &mailbox.Group{}, mailbox.NewLife()
		pid := engine.Spawn(func() actor.Receiver { return login.New(slog.New(slog.DiscardHandler), work) }, "auth", life.Options("auth")...)
		defer func() {
			engine.Poison(pid)
			<-life.Ended()
			<-work.Idle()
		}()
		test(&rig{t, mailbox.Address{Engine: engine, PID: pid, Ended: life.Ended()}, as})
	})
}

func (r *rig) session(server string) *oauth.Session {
	r.t.Helper()
	s, err := oauth.New(oauth.Options{Server: server, URL: r.as.MCP, Store: oauth.Store{Dir: r.t.TempDir()}})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// begin starts a flow and returns the query of the redirect after consent.
func (r *rig) begin(s *oauth.Session) url.Values {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	address, err := mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[string]) any {
		return login.Begin{Ctx: ctx, Session: s, Redirect: redirect, Reply: reply}
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return r.as.Agree(r.t, address).Query()
}

func (r *rig) finish(query url.Values) (string, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	return mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[string]) any {
		return login.Finish{Ctx: ctx, Query: query, Reply: reply}
	})
}

// accepted fails the test unless the redirect completes a flow of the server.
func (r *rig) accepted(server string, query url.Values) {
	r.t.Helper()
	if got, err := r.finish(query); got != server || err != nil {
		r.t.Errorf("finish = %q, %v, want %q", got, err, server)
	}
}

// refused fails the test unless the redirect is rejected without a request to the
// authorization server.
func (r *rig) refused(query url.Values) {
	r.t.Helper()
	before := r.as.Count("token")
	server, err := r.finish(query)
	if server != "" || !errors.Is(err, oauth.ErrState) || toolscript.KindOf(err) != toolscript.Invalid {
		r.t.Errorf("finish = %q, %v, want an invalid state", server, err)
	}
	if n := r.as.Count("token") - before; n != 0 {
		r.t.Errorf("%d token requests", n)
	}
}

func TestFlowLastsFiveMinutes(t *testing.T) {
	for _, late := range []bool{false, true} {
		run(t, func(r *rig) {
			query := r.begin(r.session("a"))
			if time.Sleep(login.FlowTime - time.Second); late {
				time.Sleep(2 * time.Second)
				r.refused(query)
				return
			}
			r.accepted("a", query)
		})
	}
}

func TestStateIsValidOnce(t *testing.T) {
	run(t, func(r *rig) {
		query := r.begin(r.session("a"))
		r.refused(url.Values{"state": {"Zm9yZ2Vk"}, "code": query["code"]})
		r.refused(url.Values{"code": query["code"]})
		r.accepted("a", query)
		r.refused(query)
	})
}

// After a denial, the state is used up, and a new flow works.
func TestDeniedFlow(t *testing.T) {
	run(t, func(r *rig) {
		s := r.session("a")
		query := r.begin(s)
		denied := url.Values{"state": query["state"], "iss": query["iss"], "error": {"access_denied"}}
		var said *oauth.DeniedError
		if server, err := r.finish(denied); server != "a" || !errors.As(err, &said) {
			r.t.Errorf("finish = %q, %v", server, err)
		}
		r.refused(query)
		r.accepted("a", r.begin(s))
	})
}

// A second flow replaces the first of the same server and has its own time limit.
// Flows of other servers continue.
func TestNewFlowReplacesTheOldOne(t *testing.T) {
	run(t, func(r *rig) {
		s := r.session("a")
		first := r.begin(s)
		time.Sleep(4 * time.Minute)
		other, second := r.begin(r.session("b")), r.begin(s)
		r.refused(first)
		time.Sleep(2 * time.Minute)
		r.accepted("a", second)
		r.accepted("b", other)
	})
}

func TestFlowCannotStart(t *testing.T) {
	run(t, func(r *rig) {
		s, err := oauth.New(oauth.Options{Server: "a", URL: r.as.URL + "/elsewhere", Store: oauth.Store{Dir: r.t.TempDir()}})
		if err != nil {
			r.t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
		defer cancel()
		_, err = mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[string]) any {
			return login.Begin{Ctx: ctx, Session: s, Redirect: "http://127.0.0.1/", Reply: reply}
		})
		if toolscript.KindOf(err) != toolscript.Unavailable || !errors.Is(err, oauth.ErrDiscovery) {
			r.t.Errorf("got %v", err)
		}
	})
}

// A login on another device ends with the consent of the person, with a newer one of the same server, and with the actor.
func TestDevice(t *testing.T) {
	pending := make([]string, 10)
	for i := range pending {
		pending[i] = "authorization_pending"
	}
	runWith(t, oauthserver.Options{Closing: true, Device: append(pending, "")}, func(r *rig) {
		done := make(chan string, 3)
		begin := func(s *oauth.Session) {
			r.t.Helper()
			ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
			defer cancel()
			code, err := mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[oauth.DeviceCode]) any {
				return login.BeginDevice{Ctx: ctx, Session: s, Done: func(server string) { done <- server }, Reply: reply}
			})
			if err != nil || code.UserCode == "" {
				r.t.Errorf("code %+v, %v", code, err)
			}
		}
		s := r.session("a")
		begin(s)
		time.Sleep(7 * time.Second) // between two requests for the token
		begin(s)
		begin(r.session("b"))
		got := []string{<-done, <-done}
		if slices.Sort(got); !slices.Equal(got, []string{"a", "b"}) {
			r.t.Errorf("done %q", got)
		}
		time.Sleep(time.Minute)
		if len(done) > 0 {
			r.t.Error("the login that was replaced has gone on")
		}
		if status, _ := s.Status(); status != oauth.Authenticated {
			r.t.Errorf("status %q", status)
		}
		begin(s) // the end of the actor ends it
	})
}

func TestDeviceCannotStart(t *testing.T) {
	run(t, func(r *rig) {
		ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
		defer cancel()
		_, err := mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[oauth.DeviceCode]) any {
			return login.BeginDevice{Ctx: ctx, Session: r.session("a"), Reply: reply}
		})
		if toolscript.KindOf(err) != toolscript.Unavailable || !errors.Is(err, oauth.ErrNoDevice) {
			r.t.Errorf("got %v", err)
		}
	})
}
