package host_test

import (
	"context"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/upstream"
)

// rereadServers are servers that report each reading of their tool lists.
type rereadServers struct {
	host.Servers
	asked chan string
}

func (r rereadServers) Reread(ctx context.Context, name string) bool {
	r.asked <- name
	return r.Servers.Reread(ctx, name)
}

// A gateway that asks for the tool list of a shared server gets a fresh one.
func TestAListOfASharedServerIsNotOld(t *testing.T) {
	asked := make(chan string, 10)
	r := startHub(t, func(o *host.Options) { o.Servers = rereadServers{o.Servers, asked} })
	conn, err := r.client(nil).Dial(kit.Within(t), "srv", config(t, upstream.SharedHost), upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // the hub closes it, too
	if conn.ListAge() == 0 {
		t.Error("the list is never asked for again")
	}
	if tools, err := conn.ListTools(kit.Within(t)); err != nil || len(tools) == 0 {
		t.Fatalf("%d tools, %v", len(tools), err)
	}
	kit.Receive(t, asked)
}
