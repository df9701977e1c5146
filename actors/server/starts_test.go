package server_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// Two servers start at a time. A server that hangs counts for three seconds, and a
// server that is not a child process does not wait.
func TestStartsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, err := actor.NewEngine(actor.NewEngineConfig())
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		begin, dials := time.Now(), map[string]time.Duration{}
		work, starts := &mailbox.Group{}, server.NewStarts(2)
		var pids []*actor.PID
		for i, kind := range []string{mcpclient.Stdio, mcpclient.Stdio, mcpclient.Stdio, mcpclient.Stdio, mcpclient.HTTP} {
			name := fmt.Sprint(kind, i)
			child := server.New(server.Options{
				Name: name, Config: mcpclient.Config{Type: kind}, ConnectTimeout: 30 * time.Second,
				Logger: slog.New(slog.DiscardHandler), Work: work, Starts: starts,
				Dial: func(ctx context.Context, name string, _ mcpclient.Config, _ mcpclient.Events) (server.Conn, error) {
					mu.Lock()
					dials[name] = time.Since(begin)
					mu.Unlock()
					<-ctx.Done() // the server hangs
					return nil, ctx.Err()
				},
			})
			pids = append(pids, engine.SpawnFunc(func(c *actor.Context) {
				if _, ok := c.Message().(actor.Started); ok {
					c.SpawnChild(func() actor.Receiver { return child }, "child", mailbox.NewLife().Options(name)...)
				}
			}, name, mailbox.NewLife().Options("0")...))
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		mu.Lock()
		at := map[time.Duration]int{}
		for _, d := range dials {
			at[d]++
		}
		if at[0] != 3 || at[3*time.Second] != 2 || dials["http4"] != 0 {
			t.Errorf("dials = %v, want two and the HTTP server at once, two more after 3 s", dials)
		}
		mu.Unlock()
		for _, pid := range pids {
			<-engine.Poison(pid).Done()
		}
		<-work.Idle()
	})
}
