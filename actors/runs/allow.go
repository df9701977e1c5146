package runs

import (
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// find determines what answers a call, a tool or the gateway itself. The error says that the run may not make the
// call.
func (s *calls) find(c *runCall) error {
	if strings.HasPrefix(c.ID, "$") {
		if answer := builtins[c.ID]; answer != nil {
			c.builtin = s.builtin(answer)
			return nil
		}
		if tool, is := fetchTool(c.ID); is {
			c.tool, c.builtin = tool, s.fetch // the server is an argument: Fetch checks it
			return nil
		}
	}
	tool, known := s.deps.Lookup(c.ID)
	if known && !s.allow.Match(tool) || !known && !s.allow.SharesServer(c.ID) {
		return s.forbidden(c.ID)
	}
	c.tool = tool
	return nil
}

// checkKey checks the idempotency key of a call, if it has one. Calls that the gateway answers
// itself take no key.
func (c *runCall) checkKey() error {
	switch {
	case c.Key == "":
		return nil
	case c.builtin != nil:
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("%s takes no idempotency key; only tools of servers do", c.ID)}
	}
	return toolscript.CheckKey(c.Key)
}

// forbidden returns the error of a call that this run may not make.
func (s *calls) forbidden(id string) error {
	if s.parts.request.Profile == "" {
		return Forbidden(id, s.allow)
	}
	return &toolscript.Error{
		Kind: toolscript.Forbidden, Err: fmt.Errorf("%s is not among the tools this run may call (profile %s: %s)%s", id, s.parts.request.Profile, s.allow, otherAccount(id, s.allow)),
	}
}

// warnUnknown warns of entries of the allow list that match nothing. It ignores entries for
// servers whose tools are not known.
func (w *work) warnUnknown() {
	asked := w.request.Allow
	if w.request.Profile != "" { // do not warn of the entries of the profile
		asked = w.request.Asked
	}
	for _, u := range w.deps.Select(asked, nil).Unknown {
		if u.Server == nil && !naming.IsOwn(u.Entry) {
			w.warn(fmt.Sprintf("--allow %s names no server and no tool%s", u.Entry, naming.DidYouMean(u.Suggestions)))
		}
	}
}

// otherAccount returns a hint if the run may call another account of the server.
func otherAccount(id string, allow toolscript.Filter) string {
	account := allow.OtherAccount(id)
	if account == "" {
		return ""
	}
	return fmt.Sprintf("; $as(%q) of the server calls an account that it may call", account)
}

// Forbidden returns the error of a call that the allow list of its run excludes.
func Forbidden(id string, allow toolscript.Filter) error {
	return &toolscript.Error{
		Kind: toolscript.Forbidden, Err: fmt.Errorf("%s is not among the tools this run may call (--allow %s)%s", id, allow, otherAccount(id, allow)),
	}
}
