package mcpclient

import (
	"fmt"
	"strings"
	"testing"
)

func TestTailKeepsTheEnd(t *testing.T) {
	var end tail
	write := func(text string) {
		if n, err := end.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	for n := range 1000 {
		write(fmt.Sprintf("line %d\n\n", n))
	}
	write("no ")
	write("end")
	lines := end.last()
	if len(lines) != tailLines+1 || lines[0] != "line 900" || lines[tailLines] != "no end" {
		t.Errorf("%d lines from %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
	for range 20 {
		write(strings.Repeat("x", 100_000) + "\n")
	}
	size := 0
	for _, line := range end.last() {
		size += len(line)
	}
	if size > tailBytes {
		t.Errorf("%d bytes are kept, want at most %d", size, tailBytes)
	}
}
