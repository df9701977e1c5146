package proc_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/proc"
)

func TestManages(t *testing.T) {
	for line, want := range map[string]bool{
		"npx -y some-server": true, "npm exec some-server": true, "npm": true, "/usr/bin/env node /usr/bin/npx -y some-server": true,
		"node /usr/lib/node_modules/npm/bin/npx-cli.js -y some-server": true, `C:\nodejs\npx.cmd some-server`: true,
		"pnpm dlx some-server": true, "pnpx some-server": true, "yarn dlx some-server": true, "corepack pnpm dlx some-server": true,
		"bunx some-server": true, "bun x some-server": true, "bunx.exe add some-server --no-summary": true, "bun run server.ts": false, "bun server.ts": false,
		"uvx some-server": true, "/home/u/.local/bin/uv tool uvx some-server": true, "uv --directory /srv run server.py": true,
		"python3.12 -m uv tool run some-server": true, "/usr/bin/python3 /usr/bin/pipx run some-server": true, "python -m pipx run some-server": true,
		"bash /root/.pyenv/shims/uvx some-server": true, "env UV_OFFLINE=1 uvx some-server": true,
		"go run example.com/server@latest": true, "go tool x": false, "cargo run": true,
		"node server.js": false, "python server.py": false, "python -c import-uv": false, "some-server npx": false,
		"sh -c 'mcp-server-everything'": false, "sh -c npx": false, "docker run -i image": false, "": false, "env": false,
	} {
		if got := proc.Manages(strings.Fields(line)); got != want {
			t.Errorf("Manages(%q) = %t, want %t", line, got, want)
		}
	}
}

// TestManagerHasNoArguments: Manager returns only words of its own table, never configured arguments.
func TestManagerHasNoArguments(t *testing.T) {
	got := strings.Join(proc.Manager(strings.Fields("bun --token=secret x some-server --key secret")), " ")
	if got != "bun x" {
		t.Errorf("Manager = %q, want bun x", got)
	}
}

// TestPulls: Line recognizes what docker and podman print on standard error while they pull.
func TestPulls(t *testing.T) {
	for _, lines := range [][]string{
		{"Unable to find image 'mcp/time:latest' locally", "latest: Pulling from mcp/time", "a2abf6c4d29d: Pulling fs layer", "a2abf6c4d29d: Pull complete",
			"Digest: sha256:9c46a9181", "Status: Downloaded newer image for mcp/time:latest"},
		{"latest: Pulling from mcp/time", "Digest: sha256:9c46a9181", "Status: Image is up to date for mcp/time:latest"},
		{"Trying to pull docker.io/mcp/time:latest...", "Getting image source signatures", "Copying blob sha256:a2ab", "Copying config 12e1",
			"Writing manifest to image destination"},
	} {
		s := proc.NewStart([]string{"docker", "run", "-i", "mcp/time"})
		for i, line := range lines {
			s.Line(line)
			if got, want := s.Look().Installing, i < len(lines)-1; got != want {
				t.Errorf("after %q: installing %t, want %t", line, got, want)
			}
		}
	}
}

func FuzzManages(f *testing.F) {
	f.Add("npx\x00-y\x00server")
	f.Add("npm exec @a/b")
	f.Fuzz(func(t *testing.T, line string) {
		argv := strings.Split(line, "\x00")
		if proc.Manages(argv) != (len(proc.Manager(argv)) > 0) {
			t.Errorf("Manages and Manager differ for %q", argv)
		}
	})
}
