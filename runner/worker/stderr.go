package worker

import (
	"strings"
	"sync"
)

// maxStderr is how much of a worker's standard error is kept, in bytes. A Go program that
// crashes prints the cause first, and then megabytes of goroutines.
const maxStderr = 4 << 10

// A stderr keeps the beginning of the text that is written to it.
type stderr struct {
	mu   sync.Mutex
	text []byte
}

// Write never fails and never blocks, so that a worker that prints without end does
// not wait for the gateway.
func (s *stderr) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p[:min(len(p), maxStderr-len(s.text))]...)
	return len(p), nil
}

func (s *stderr) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text)
}

func (s *stderr) firstLine() string {
	line, _, _ := strings.Cut(s.String(), "\n")
	return line
}
