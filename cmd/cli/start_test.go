package cli_test

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// initialized matches a line of GODEBUG=inittrace=1: a package and the bytes that it allocates.
var initialized = regexp.MustCompile(`(?m)^init (\S+) @.* ms clock, (\d+) bytes`)

// TestInitialization bounds what the packages of this program allocate before main. Every command,
// hook and worker initializes all packages, so a pattern compiled there costs each of them:
// compile patterns when they are first used.
func TestInitialization(t *testing.T) {
	const most = 32 << 10
	c := exec.CommandContext(t.Context(), os.Args[0], "exec", "--help")
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	own := 0
	for _, line := range initialized.FindAllStringSubmatch(string(out), -1) {
		path, ours := strings.CutPrefix(line[1], "github.com/toolscript/toolscript")
		if !ours || strings.HasSuffix(path, "_test") {
			continue
		}
		own++
		if bytes, err := strconv.Atoi(line[2]); err != nil || bytes > most {
			t.Errorf("%s allocates %s bytes before main, more than %d", path, line[2], most)
		}
	}
	if own < 20 {
		t.Errorf("found %d packages in:\n%s", own, out)
	}
}
