//go:build linux

package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/cli"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
)

// TestMain makes the test binary act as the program and as the servers.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == asServer:
		os.Exit(mcpserver.Main())
	case len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test."):
		os.Exit(cli.Main())
	}
	os.Exit(m.Run())
}

// TestRun measures two gateways with two servers, and checks the exact numbers of processes.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s := setting{gateways: 2, servers: 2, bin: self, self: self, peers: t.TempDir(), base: t.TempDir()}
	if err := run(t.Context(), s, &out); err != nil {
		t.Fatalf("%v after:\n%s", err, out.String())
	}
	for _, row := range []string{
		`processes: gateways \| 2 \| 2 \| 1/1\.0 \| `,
		`processes: their script workers \| 0 \| 0 \|  \| `,
		`processes: hub \| 0 \| 1 \|  \| `,
		`processes: servers \| 4 \| 2 \| 1/2\.0 \| `,
		`private memory: servers, hub and reapers, MB \| [1-9]\d* \| [1-9]\d* \| 1/\d+\.\d \| ≤ 1/8: \*\*missed\*\*`,
		`private memory: all, MB \| [1-9]\d* \| [1-9]\d* \| 1/\d+\.\d \| `,
		`time until all gateways are ready, s \| \d+\.\d \| \d+\.\d \| `,
	} {
		if !regexp.MustCompile(`(?m)^\| ` + row).MatchString(out.String()) {
			t.Errorf("no row matches %s:\n%s", row, out.String())
		}
	}
}
