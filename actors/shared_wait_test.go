package actors_test

import (
	"context"
	"errors"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestAwaitAServerThatCannotConnect: AwaitServer returns at once if the configuration of the server has a mistake.
func TestAwaitAServerThatCannotConnect(t *testing.T) {
	s, err := actors.Start(actors.Options{Servers: map[string]upstream.Config{
		"wrong": {Type: upstream.Stdio, Command: "true", Problem: &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("a mistake")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	ctx, cancel := context.WithTimeout(t.Context(), kit.Patience)
	defer cancel()
	if status, err := s.AwaitServer(ctx, "wrong"); err != nil || status.State != toolscript.Failed {
		t.Errorf("state %s, %v; want failed", status.State, err)
	}
}
