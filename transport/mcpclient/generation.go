package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
	"github.com/toolscript/toolscript/transport/upstream"
)

// known reports whether an earlier connection has found a version without a handshake (modern), or with one.
func known(s upstream.Spoken, modern bool) bool {
	return s.Version != "" && mcp.IsModernProtocol(s.Version) == modern
}

// How long a server may leave the request of the newest version unanswered. Then initialize also sends
// the handshake of the older versions. A late answer to the first request still counts, because a
// process that starts slowly reads both requests.
var (
	patienceStdio = 500 * time.Millisecond
	patienceHTTP  = 2 * time.Second
	patienceKnown = 5 * time.Second // for a server that has answered such a request before
)

// initialize agrees on a version of MCP. If the configuration sets no version, initialize tries the newest
// one first, unless the server is known to need the handshake.
func (c *Conn) initialize(ctx context.Context) (*mcp.InitializeResult, error) {
	newest := c.dialect.newest
	switch {
	case !mcp.IsModernProtocol(newest):
		return c.handshakeIn(ctx, newest)
	case c.dialect.handshakes(), known(c.on.Spoken, false) && !c.dialect.forced:
		result, err := c.handshakeIn(ctx, upstream.Handshake)
		if err == nil || c.dialect.handshakes() || c.over(ctx, err) {
			c.learn(result, false)
			return result, err
		}
		if found := c.discover(ctx, newest); found.err == nil { // the server has been replaced by a newer one
			c.learn(found.result, true)
			return found.result, nil
		}
		return nil, err
	}
	return c.probe(ctx, newest)
}

// over reports whether an error has another cause than the version of MCP, so that no other version helps.
func (c *Conn) over(ctx context.Context, err error) bool {
	var unreachable *httptransport.UnreachableError
	return ctx.Err() != nil || httptransport.Unauthorized(err) || errors.As(err, &unreachable) || isLost(err)
}

func isLost(err error) bool {
	return errors.Is(err, transport.ErrTransportClosed) || errors.Is(err, errClosed)
}

// learn reports the version that the server speaks to Events, if it was not known or has changed.
func (c *Conn) learn(result *mcp.InitializeResult, modern bool) {
	if result == nil || c.on.Speaks == nil || c.dialect.forced {
		return
	}
	now := upstream.Spoken{Version: result.ProtocolVersion, Server: upstream.Printable(result.ServerInfo.Version)}
	if modern = modern || mcp.IsModernProtocol(now.Version); modern {
		now.Version = upstream.Stateless
	}
	before := c.on.Spoken
	if before == now {
		return
	}
	if !modern && known(before, false) && before.Server != "" && before.Server != now.Server {
		now = upstream.Spoken{} // the server was updated: the next connection asks it again
	}
	c.on.Speaks(now)
}

// discovered is the answer to the request of the newest version.
type discovered struct {
	result *mcp.InitializeResult // nil if the server does not have that version
	err    error

	final   bool   // the error has another cause than the version
	passing bool   // the error may be temporary
	named   string // version with a handshake that the server has named
}

// probe tries the newest version, and then the handshake. If the first answer is late, probe sends both.
// If a server answers both, the handshake counts, because the server has begun a session with it.
func (c *Conn) probe(ctx context.Context, newest string) (*mcp.InitializeResult, error) {
	probing, stop := context.WithCancel(ctx)
	defer stop()
	asked := inBackground(c.on, func() discovered { return c.discover(probing, newest) })
	late := time.NewTimer(c.patience())
	defer late.Stop()
	select {
	case found := <-asked:
		return c.settleOn(ctx, found)
	case <-late.C:
	}
	type greeted struct {
		result *mcp.InitializeResult
		err    error
	}
	greeting, leave := context.WithCancel(ctx)
	defer leave()
	greets := inBackground(c.on, func() greeted {
		result, err := c.handshakeIn(greeting, upstream.Handshake)
		return greeted{result, err}
	})
	var found *discovered
	var grace <-chan time.Time
	for {
		select {
		case answer := <-asked:
			if found = &answer; answer.err == nil {
				grace = time.After(patienceStdio) // the server may not answer the handshake at all
			}
			asked = nil
		case <-grace:
			leave()
			<-greets
			return c.settleOn(ctx, *found)
		case g := <-greets:
			modern := found != nil && found.err == nil
			if g.err != nil && modern {
				return c.settleOn(ctx, *found)
			}
			c.learn(g.result, modern)
			return g.result, g.err
		}
	}
}

// inBackground runs f in a goroutine. If f panics, it returns the zero value.
func inBackground[T any](on upstream.Events, f func() T) <-chan T {
	done := make(chan T, 1)
	go func() {
		var result T
		defer func() { done <- result }()
		defer rescue.Catch(panicked(on))
		result = f()
	}()
	return done
}

func (c *Conn) patience() time.Duration {
	switch _, overHTTP := c.peer.(httpPeer); {
	case known(c.on.Spoken, true):
		return patienceKnown
	case overHTTP:
		return patienceHTTP
	default:
		return patienceStdio
	}
}

// settleOn uses the version in the answer to the request of the newest version, or performs the handshake.
func (c *Conn) settleOn(ctx context.Context, found discovered) (*mcp.InitializeResult, error) {
	switch {
	case found.err == nil && found.result != nil:
		c.speak(found.result.ProtocolVersion)
		c.learn(found.result, true)
		return found.result, nil
	case found.final:
		return nil, found.err
	}
	offer := upstream.Handshake
	if found.named != "" {
		offer = found.named
	}
	result, err := c.handshakeIn(ctx, offer)
	if !found.passing {
		c.learn(result, false)
	}
	return result, err
}

// discover asks the server for its versions and its description, with a request of a version without a
// handshake. If the server only has other versions without a handshake, discover asks once more in one
// of these.
func (c *Conn) discover(ctx context.Context, version string) discovered {
	for again := true; ; again = false {
		raw, failure, err := c.askVersions(ctx, version)
		if failure == nil && err == nil {
			if found := readDiscovered(raw, version); found.err == nil || found.final {
				return found
			}
			return discovered{err: errNotDiscovered}
		}
		supported, modern := modernRefusal(failure, err)
		next := mcp.NegotiateMutuallySupportedVersion(supported)
		switch {
		case again && modern && mcp.IsModernProtocol(next):
			version = next
		case modern && next != "" && !mcp.IsModernProtocol(next):
			return discovered{err: errNotDiscovered, named: next}
		case modern && len(supported) > 0:
			return discovered{err: &refusedVersion{version, supported}, final: true}
		case modern:
			return discovered{err: fmt.Errorf("server/discover: %s", refusalText(failure, err)), final: true}
		case err != nil && c.over(ctx, err) && !httptransport.Unauthorized(err): // some servers answer 401 without a session
			c.startled.Store(isLost(err))
			return discovered{err: err, final: true}
		default:
			return discovered{err: errNotDiscovered, passing: isPassing(err)}
		}
	}
}

// errNotDiscovered is the error of a server that does not have the newest version.
var errNotDiscovered = errors.New("the server does not answer server/discover")

// askVersions sends server/discover. It neither needs nor changes the negotiated version.
func (c *Conn) askVersions(ctx context.Context, version string) (json.RawMessage, *mcp.JSONRPCErrorDetails, error) {
	request, err := c.dialect.requestIn(version, &sentCall{}, string(mcp.MethodServerDiscover), nil)
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set(transport.HeaderKeyProtocolVersion, version)
	response, err := c.forward(ctx, c.peer.transport(), request)
	switch {
	case err != nil:
		return nil, nil, err
	case response.Error != nil:
		return nil, response.Error, nil
	}
	return response.Result, nil, nil
}

// readDiscovered reads the result of server/discover.
func readDiscovered(raw json.RawMessage, asked string) discovered {
	var r mcp.DiscoverResult
	if json.Unmarshal(raw, &r) != nil || len(r.SupportedVersions) == 0 {
		return discovered{err: errNotDiscovered}
	}
	version := asked
	if !slices.Contains(r.SupportedVersions, asked) {
		version = mcp.NegotiateMutuallySupportedVersion(r.SupportedVersions)
	}
	switch {
	case version == "":
		return discovered{err: &refusedVersion{asked, r.SupportedVersions}, final: true}
	case !mcp.IsModernProtocol(version):
		return discovered{err: errNotDiscovered, named: version}
	}
	result := &mcp.InitializeResult{ProtocolVersion: version, Capabilities: r.Capabilities, Instructions: r.Instructions}
	if info := r.GetResultMeta().ServerInfo(); info != nil {
		result.ServerInfo = *info
	}
	return discovered{result: result}
}

// modernRefusal reports whether an error is one that only servers with a version without a handshake
// send. It returns the versions that the error names.
func modernRefusal(failure *mcp.JSONRPCErrorDetails, err error) (supported []string, modern bool) {
	code, data := 0, any(nil)
	var refused *httptransport.StatusError
	switch {
	case failure != nil:
		code, data = failure.Code, failure.Data
	case errors.As(err, &refused):
		code, data = refused.Code, refused.Data
	}
	switch code {
	case mcp.UNSUPPORTED_PROTOCOL_VERSION:
		supported = supportedIn(data)
		return supported, len(supported) > 0
	case mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY:
		return nil, true
	}
	return nil, false
}

func refusalText(failure *mcp.JSONRPCErrorDetails, err error) string {
	if failure != nil {
		return failure.Message
	}
	return err.Error()
}

// isPassing reports whether an error may be temporary.
func isPassing(err error) bool {
	var refused *httptransport.StatusError
	var interrupted *httptransport.InterruptedError
	return errors.As(err, &interrupted) || toolscript.KindOf(err) == toolscript.Busy ||
		errors.As(err, &refused) && (refused.Status >= http.StatusInternalServerError || !lastingStatus(refused.Status))
}

// speak makes all later requests use a version.
func (c *Conn) speak(version string) {
	c.dialect.agree(version)
	if w, is := c.peer.transport().(transport.HTTPConnection); is {
		w.SetProtocolVersion(version)
	}
}

// wasStartled reports whether the server may have ended because it got another request before the handshake.
func (c *Conn) wasStartled(ctx context.Context) bool {
	process, is := c.peer.(*stdio)
	if !is || !c.startled.Load() || c.dialect.forced || ctx.Err() != nil || known(c.on.Spoken, true) {
		return false
	}
	select {
	case <-process.proc.exited:
		return !process.proc.deaf
	default:
		return false
	}
}

// without returns Events that make Dial use the handshake at once.
func without(e upstream.Events) upstream.Events {
	e.Spoken = upstream.Spoken{Version: upstream.Handshake}
	if e.Speaks != nil {
		e.Speaks(e.Spoken) // remember it now: if the server ends again for another reason, the next Dial starts it only once
	}
	return e
}
