//go:build unix

package minilm_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
)

// BenchmarkEmbed reports the CPU time per text and token, which depends less on the
// load of the machine than wall time.
func BenchmarkEmbed(b *testing.B) {
	m, err := minilm.Open()
	if err != nil {
		b.Fatal(err)
	}
	query := "find the open issues that mention a crash on start"
	tool := strings.Repeat("list the pull requests of a repository, newest first. ", 6)
	for _, bench := range []struct {
		name  string
		model *minilm.Model
		texts []string
	}{
		{"query", m, []string{query}},
		{"query portable", m.Portable(), []string{query}},
		{"64 tools", m, repeated(tool, 64)},
		{"4 tools portable", m.Portable(), repeated(tool, 4)},
	} {
		tokens := 0
		for _, text := range bench.texts {
			tokens += m.Tokens(text, minilm.Options{})
		}
		b.Run(bench.name, func(b *testing.B) {
			before := cpuTime(b)
			for b.Loop() {
				if _, err := bench.model.Embed(b.Context(), bench.texts, minilm.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			spent := float64((cpuTime(b) - before).Microseconds()) / 1000
			b.ReportMetric(spent/float64(b.N*len(bench.texts)), "cpu-ms/text")
			b.ReportMetric(spent/float64(b.N*tokens), "cpu-ms/token")
		})
	}
}

func repeated(text string, n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = text
	}
	return texts
}

// cpuTime returns the CPU time of the process so far.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
