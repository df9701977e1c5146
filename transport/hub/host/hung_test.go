package host_test

import (
	"context"
	"encoding/json"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/upstream"
)

// deaf returns an endpoint that passes bytes on between a gateway and the hub. After deafened is
// closed, it reads nothing more, like a stopped process.
func (r *hubRig) deaf(deafened <-chan struct{}) hub.Endpoint {
	r.t.Helper()
	path := filepath.Join(filepath.Dir(r.path), "deaf")
	listener, err := (&net.ListenConfig{}).Listen(r.t.Context(), "unix", path)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := r.endpoint().Dial(context.Background())
			if err != nil {
				_ = from.Close()
				continue
			}
			r.t.Cleanup(func() { _, _ = from.Close(), to.Close() })
			go pass(from, to, deafened)
			go pass(to, from, deafened)
		}
	}()
	return hub.Endpoint{Token: token, Dial: func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}
}

func pass(from, to net.Conn, deafened <-chan struct{}) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		select {
		case <-deafened:
			return // both connections stay open
		default:
		}
		if err == nil {
			_, err = to.Write(buffer[:n])
		}
		if err != nil {
			_, _ = from.Close(), to.Close()
			return
		}
	}
}

// TestTimeoutWhileTheHubHangs: calls end at their time limit while the hub hangs, even if the socket
// has no room for their arguments. Calls that were not written count as not sent.
func TestTimeoutWhileTheHubHangs(t *testing.T) {
	for _, tt := range []struct {
		name  string
		size  int // size of the arguments in bytes
		calls int
		some  bool // whether some of the calls are not written
	}{
		{"a small call", 10, 1, false},
		{"more than the socket takes", 60 << 10, 20, true},
		{"arguments in pieces", 200 << 10, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := startHub(t, nil)
			deafened := make(chan struct{})
			endpoint := r.deaf(deafened)
			c := hub.NewClient(hub.ClientOptions{Find: func(context.Context) (hub.Endpoint, error) { return endpoint, nil }})
			t.Cleanup(c.Close)
			cfg := config(t, upstream.SharedHost)
			cfg.Timeout = 500 * time.Millisecond
			s := r.gateway(c, cfg)
			ready(t, s)
			close(deafened)
			args, err := json.Marshal(map[string]string{"text": strings.Repeat("x", tt.size)})
			if err != nil {
				t.Fatal(err)
			}
			failed := make(chan error, tt.calls)
			for range tt.calls {
				go func() {
					_, err := s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__echo", Args: args})
					failed <- err
				}()
			}
			unsent := 0
			for range tt.calls {
				err := <-failed
				text := "no answer and no progress within 500ms; " + toolscript.UnknownOutcome
				if toolscript.SentOf(err) == toolscript.SentNo {
					text = "the call was not sent"
					unsent++
				}
				kindIs(t, err, toolscript.Timeout, text)
			}
			if (unsent > 0) != tt.some {
				t.Errorf("%d of %d calls count as not sent", unsent, tt.calls)
			}
		})
	}
}
