package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/hook"
	"github.com/toolscript/toolscript/cmd/logfile"
)

// background are the hidden options of a gateway that a hook starts.
type background struct {
	client  processFlag
	logFile string

	tokenFromStdin bool // the secret of the gateway that this one replaces

	used atomic.Int64 // when the last connection was accepted, in Unix nanoseconds
}

func (b *background) addBackground(f *pflag.FlagSet) {
	f.Var(&b.client, "client", "end with this process")
	f.StringVar(&b.logFile, "log-file", "", "log to this `file`")
	f.BoolVar(&b.tokenFromStdin, "token-from-stdin", false, "read the secret of the gateway from the standard input")
	for _, name := range []string{"client", "log-file", "token-from-stdin"} {
		f.Lookup(name).Hidden = true
	}
}

// openLog directs the log to the file.
func (b *background) openLog(a *app) error {
	if b.logFile == "" {
		return nil
	}
	w, err := logfile.NewWriter(b.logFile)
	if err == nil {
		a.Stderr = w
	}
	return err
}

// watch ends the context when the client has ended.
func (b *background) watch(ctx context.Context, logger *slog.Logger) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if b.client.PID == 0 {
		return ctx, cancel
	}
	idle := func() time.Duration { return time.Since(time.Unix(0, b.used.Load())) }
	go func() {
		if reason := hook.Watch(ctx, b.client, idle); reason != "" {
			logger.Info("gateway stopping", slog.String("reason", reason))
			cancel()
		}
	}()
	return ctx, cancel
}

// describe adds to an entry what other commands must know of a gateway in the background.
func (b *background) describe(e discovery.Entry) discovery.Entry {
	e.Log = b.logFile
	if b.client.PID != 0 {
		e.Client = &b.client.Process
	}
	return e
}

// noting notes the time of each connection.
func (b *background) noting(l net.Listener) net.Listener {
	b.used.Store(time.Now().UnixNano())
	return notingListener{l, &b.used}
}

type notingListener struct {
	net.Listener
	used *atomic.Int64
}

// Accept implements net.Listener.
func (l notingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	l.used.Store(time.Now().UnixNano())
	return c, err
}

// readToken reads the secret of a gateway from one line.
func readToken(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, maxToken)).ReadString('\n')
	token := strings.TrimSpace(line)
	if token == "" {
		return "", fmt.Errorf("the standard input has no secret: %w", err)
	}
	return token, nil
}

// maxToken bounds the line with a secret.
const maxToken = 1 << 10

// processFlag is the identity of a process.
type processFlag struct{ discovery.Process }

func (p *processFlag) String() string {
	if p.PID == 0 {
		return ""
	}
	return p.Process.String()
}

func (p *processFlag) Type() string { return "process" }

// Set implements pflag.Value.
func (p *processFlag) Set(text string) (err error) {
	p.Process, err = discovery.ParseProcess(text)
	return err
}
