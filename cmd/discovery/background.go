package discovery

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/cmd/logfile"
)

// LaunchOptions are the hidden flags of a background gateway.
type LaunchOptions struct {
	LogFile        string
	Foreground     string // log file of a gateway in the foreground; "" if there is none or the gateway runs in the background
	TokenFromStdin bool   // the secret is read from stdin: the gateway replaces another one and keeps its secret

	client processFlag

	used atomic.Int64 // when the last connection was accepted, in Unix nanoseconds
}

// AddHidden adds the flags. The help does not show them.
func (b *LaunchOptions) AddHidden(f *pflag.FlagSet) {
	f.Var(&b.client, "client", "end with this process")
	f.StringVar(&b.LogFile, "log-file", "", "log to this `file`")
	f.BoolVar(&b.TokenFromStdin, "token-from-stdin", false, "read the secret of the gateway from the standard input")
	for _, name := range []string{"client", "log-file", "token-from-stdin"} {
		f.Lookup(name).Hidden = true
	}
}

// Log opens the log file. It returns nil if there is none.
func (b *LaunchOptions) Log() (io.Writer, error) {
	if b.LogFile == "" {
		return nil, nil
	}
	return logfile.NewWriter(b.LogFile)
}

// Watch returns a context that ends when the client has ended.
func (b *LaunchOptions) Watch(ctx context.Context, logger *slog.Logger) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if b.client.PID == 0 {
		return ctx, cancel
	}
	idle := func() time.Duration { return time.Since(time.Unix(0, b.used.Load())) }
	go func() {
		if reason := WatchClient(ctx, b.client, idle); reason != "" {
			logger.Info("gateway stopping", slog.String("reason", reason))
			cancel()
		}
	}()
	return ctx, cancel
}

// Describe adds to an entry what other commands must know about a background gateway.
func (b *LaunchOptions) Describe(e Entry) Entry {
	e.Log, e.Foreground, e.Client = cmp.Or(b.LogFile, b.Foreground), b.LogFile == "", b.Client()
	return e
}

// Client returns the process that the gateway belongs to, or nil if there is none.
func (b *LaunchOptions) Client() *Process {
	if b.client.PID == 0 {
		return nil
	}
	return &b.client.Process
}

// Noting returns a listener that records the time of each connection, so that Watch sees an idle gateway.
func (b *LaunchOptions) Noting(l net.Listener) net.Listener {
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

// processFlag is a flag whose value is the identity of a process.
type processFlag struct{ Process }

func (p *processFlag) String() string {
	if p.PID == 0 {
		return ""
	}
	return p.Process.String()
}

func (p *processFlag) Type() string { return "process" }

// Set implements pflag.Value.
func (p *processFlag) Set(text string) (err error) {
	p.Process, err = ParseProcess(text)
	return err
}

const (
	watchEvery = 2 * time.Second
	// idleLimit is the idle time after which a gateway ends if its client cannot be watched.
	idleLimit = time.Hour
)

// WatchClient waits until a gateway must end without a hook: because its client has ended, for
// example after SIGKILL, or because the gateway has been idle for an hour on a system that
// cannot tell whether the client has ended. It returns the reason, or "" if ctx ended before.
func WatchClient(ctx context.Context, client interface{ Gone() (gone, known bool) }, idle func() time.Duration) string {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ""
		case <-ticker.C:
		}
		gone, known := client.Gone()
		switch {
		case gone:
			return "the client has ended"
		case !known && idle() > idleLimit:
			return "the gateway is not used, and the system does not say whether the client runs"
		}
	}
}
