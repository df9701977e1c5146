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

func TestOutboxSaysWhenTheReaderIsGone(t *testing.T) {
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
