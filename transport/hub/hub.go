package hub

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

// Info is the first message of a hub, which every program that connects receives.
type Info = wire.HubInfo

// Status is the state of a hub.
type Status = wire.Status

// Gateway is a gateway in the Status of a hub.
type Gateway = wire.Gateway

// Server is a shared server in the Status of a hub.
type Server = wire.Server

// Definition is a shared server as a gateway defines it. It contains secrets.
type Definition = wire.Definition

// Protocol is the version of the protocol between gateways and hubs.
const Protocol = wire.Protocol

// Endpoint is where a hub listens.
type Endpoint struct {
	Dial  func(ctx context.Context) (net.Conn, error)
	Token string // proves that the gateway can read the files of the user
}

// handshakeTime bounds the exchange before NATS.
const handshakeTime = 5 * time.Second

// maxHandshake bounds one line of that exchange in bytes. A Status is the longest.
const maxHandshake = 16 << 20

// Probe returns the Info of a hub. It needs no token.
func Probe(ctx context.Context, e Endpoint) (Info, error) {
	g, err := e.open(ctx)
	if err != nil {
		return Info{}, err
	}
	_ = g.conn.Close() // nothing was sent
	return g.info, nil
}

// Query returns the state of a hub. It does not count as a gateway.
func Query(ctx context.Context, e Endpoint) (Status, error) {
	g, err := e.open(ctx)
	if err != nil {
		return Status{}, err
	}
	defer func() { _ = g.conn.Close() }() // the answer has arrived or the error is known
	answer, err := g.introduce(wire.ConnectRequest{Token: e.Token, Query: true, PID: os.Getpid()})
	if err != nil {
		return Status{}, err
	}
	if answer.Status == nil {
		return Status{}, unavailable("the hub has sent no status")
	}
	return *answer.Status, nil
}

// handshake is a connection to a hub before NATS.
type handshake struct {
	conn  net.Conn
	lines *bufio.Reader
	info  Info
}

func (e Endpoint) open(ctx context.Context) (*handshake, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	conn, err := e.Dial(ctx)
	if err != nil {
		return nil, unavailable("the hub cannot be reached: %w", err)
	}
	until, _ := ctx.Deadline()
	_ = conn.SetDeadline(until) // without it, the peer decides
	g := &handshake{conn: conn, lines: bufio.NewReader(conn)}
	if err := g.read(&g.info); err != nil {
		_ = conn.Close() // the error is known
		return nil, unavailable("the hub does not answer: %w", err)
	}
	return g, nil
}

// introduce sends the request of the gateway and returns the answer.
func (g *handshake) introduce(me wire.ConnectRequest) (wire.ConnectAnswer, error) {
	if g.info.Protocol != Protocol {
		return wire.ConnectAnswer{}, &toolscript.Error{Kind: toolscript.Unavailable, Permanent: true, Err: fmt.Errorf(
			"the hub of version %s (process %d) speaks protocol %d, and this program %d; run: toolscript hub stop", g.info.Version, g.info.PID, g.info.Protocol, Protocol)}
	}
	me.Protocol = Protocol
	text, err := json.Marshal(me)
	if err != nil {
		return wire.ConnectAnswer{}, unavailable("write to the hub: %w", err)
	}
	if _, err := g.conn.Write(append(text, '\n')); err != nil {
		return wire.ConnectAnswer{}, unavailable("write to the hub: %w", err)
	}
	var answer wire.ConnectAnswer
	if err := g.read(&answer); err != nil {
		return wire.ConnectAnswer{}, unavailable("the hub does not answer: %w", err)
	}
	if answer.Error != "" {
		return wire.ConnectAnswer{}, unavailable("the hub refuses this gateway: %s", answer.Error)
	}
	_ = g.conn.SetDeadline(time.Time{}) // it has been set before
	return answer, nil
}

func (g *handshake) read(into any) error {
	line, err := readLine(g.lines)
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}

// readLine reads a line of bounded length.
func readLine(from *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		if line = append(line, part...); err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, errors.Join(err, io.ErrUnexpectedEOF)
		}
		if len(line) > maxHandshake {
			return nil, errors.New("its answer is too long")
		}
	}
}

// retryAfter is suggested to callers if the hub is not running: the next hub starts in
// less time.
const retryAfter = time.Second

func unavailable(format string, args ...any) *toolscript.Error {
	return &toolscript.Error{Kind: toolscript.Unavailable, RetryAfter: retryAfter, Err: fmt.Errorf(format, args...)}
}
