package embedding

import (
	"strings"
	"sync"
)

// maxLlamaSaid bounds both ends of the kept output. A Go program that panics reports the
// reason first, llama reports it last.
const maxLlamaSaid = 512

// said keeps the beginning and the end of the output of the program. Write neither
// fails nor blocks.
type said struct {
	mu         sync.Mutex
	begin, end []byte
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(p), maxLlamaSaid-len(s.begin))
	s.begin = append(s.begin, p[:n]...)
	rest := p[n:]
	rest = rest[max(0, len(rest)-maxLlamaSaid):]
	s.end = append(s.end, rest...)
	s.end = append(s.end[:0], s.end[max(0, len(s.end)-maxLlamaSaid):]...)
	return len(p), nil
}

// String returns both ends in one line.
func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.ToValidUTF8(string(s.begin)+string(s.end), "")
	return strings.Join(strings.Fields(text), " ")
}
