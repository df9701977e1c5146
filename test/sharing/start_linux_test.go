package sharing_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNoReader: a hub and a gateway in the background keep running even if the process that has started
// them no longer reads their first line.
func TestNoReader(t *testing.T) {
	for name, args := range map[string][]string{
		"hub":     {"hub", "--on-demand", "--json"},
		"gateway": {"gateway", "start", "--json"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sharedConfig)
			log := filepath.Join(w.Home, "log")
			if err := os.WriteFile(log, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			r, out, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			cmd := w.Command(t.Context(), append(args, "--log-file", log)...)
			cmd.Stdout = out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			w.until(func() bool {
				_, _ = w.run(name, "stop") // until it can be found
				return len(ended) > 0
			})
			if err := <-ended; err != nil {
				text, _ := os.ReadFile(log) // adds to the error of the test
				t.Errorf("it ended with %v: %s", err, text)
			}
		})
	}
}
