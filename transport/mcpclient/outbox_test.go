package mcpclient

import (
	"errors"
	"io"
	"testing"
)

func TestOutbox(t *testing.T) {
	out, in := io.Pipe()
	box := newOutbox(in, 10)
	done := make(chan struct{})
	go func() { box.run(); close(done) }()
	for _, tt := range []struct {
		message string
		want    error
	}{{"a message larger than the limit", nil}, {"one more", errBacklog}} {
		if _, err := box.Write([]byte(tt.message)); !errors.Is(err, tt.want) {
			t.Errorf("Write(%q) = %v, want %v", tt.message, err, tt.want)
		}
	}
	if err := box.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Write([]byte("late")); !errors.Is(err, errClosed) {
		t.Errorf("Write after Close = %v, want %v", err, errClosed)
	}
	got, err := io.ReadAll(out)
	if err != nil || string(got) != "a message larger than the limit" {
		t.Errorf("written %q, %v", got, err)
	}
	<-done
}

func TestOutboxReportsAClosedReader(t *testing.T) {
	out, in := io.Pipe()
	box := newOutbox(in, 1000)
	go box.run()
	_ = out.Close()
	if _, err := box.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	<-box.broken
	if _, err := box.Write([]byte("y")); !errors.Is(err, errClosed) {
		t.Errorf("Write = %v, want %v", err, errClosed)
	}
}

// stuck is a writer whose Write blocks until closed is closed.
type stuck struct{ closed chan struct{} }

func (s stuck) Write([]byte) (int, error) { <-s.closed; return 0, io.ErrClosedPipe }
func (s stuck) Close() error              { return nil }

// Servers that do not read share one limit. When a connection breaks, the bytes of its server are released.
func TestBacklogOfAllServers(t *testing.T) {
	message := make([]byte, maxMessage)
	var boxes []*outbox
	var ends []stuck
	defer func() {
		for i, box := range boxes {
			close(ends[i].closed)
			<-box.broken
		}
		if left := backlog.Load(); left != 0 {
			t.Errorf("%d bytes still count", left)
		}
	}()
	add := func() *outbox {
		end := stuck{make(chan struct{})}
		box := newOutbox(end, maxMessage)
		boxes, ends = append(boxes, box), append(ends, end)
		go box.run()
		return box
	}
	for range maxBacklog / maxMessage {
		if _, err := add().Write(message); err != nil {
			t.Fatal(err)
		}
	}
	last := add()
	if _, err := last.Write(message); !errors.Is(err, errBacklog) {
		t.Errorf("beyond the bound of all servers = %v, want %v", err, errBacklog)
	}
	close(ends[0].closed)
	<-boxes[0].broken
	boxes, ends = boxes[1:], ends[1:]
	if _, err := last.Write(message); err != nil {
		t.Errorf("after the end of a connection = %v", err)
	}
}
