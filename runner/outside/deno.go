package outside

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/landlock"
)

// denoProject is the same for Deno, which brings TypeScript 6.
const denoProject = `{"imports":{"toolscript":"./toolscript.d.ts"},"compilerOptions":{
"strict":true,"useUnknownInCatchVariables":false,"lib":["esnext"],"types":["./globals.d.ts"]}}`

// checkDeno runs `deno check`, which finds the script in a file.
func checkDeno(ctx context.Context, c *Checker, folder, text string, limit runner.Effort) ([]runner.Finding, error) {
	if err := write(folder, map[string]string{"deno.json": denoProject, mainFile: text}); err != nil {
		return nil, unavailable(err)
	}
	cache := cmp.Or(c.Folder, filepath.Join(folder, "cache"))
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, unavailable(err)
	}
	cmd := exec.Command(c.Deno, "check", "--quiet", "--no-lock", "--no-remote", "--no-npm", "--config", "deno.json", mainFile) //nolint:gosec,noctx // the user's Deno; begin ends it with ctx
	cmd.Dir = folder
	cmd.Env = []string{"DENO_DIR=" + cache, "HOME=" + folder, "NO_COLOR=1", "DENO_NO_UPDATE_CHECK=1"}
	var said strings.Builder
	cmd.Stderr = &said
	p, err := begin(ctx, cmd, landlock.Access{
		Read: []string{
			"/lib", "/lib64", "/usr/lib", "/etc/localtime", "/usr/share/zoneinfo", "/dev/urandom", "/proc/self", "/sys/fs/cgroup",
			filepath.Dir(c.Deno), folder,
		},
		Write: []string{cache, "/dev/null"},
	}, limit)
	if err != nil {
		return nil, err
	}
	if err := p.wait(); err != nil {
		return nil, err
	}
	found := readDeno(colours.ReplaceAllString(said.String(), ""))
	if p.exit != nil && len(found) == 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return nil, unavailable(fmt.Errorf("%w: %s", p.exit, first))
	}
	if p.exit == nil && len(found) > 0 {
		return nil, unavailable(errors.New("it says that nothing is wrong, and what"))
	}
	return found, nil
}

// colours come in spite of NO_COLOR.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

var (
	findingStart = regexp.MustCompile(`^(TS\d+) \[ERROR\]: (.*)$`)
	findingPlace = regexp.MustCompile(`^    at file://\S*/main\.ts:(\d+):(\d+)$`)
)

// readDeno reads findings as Deno writes them: the message, which may go on over
// indented lines, then the line of the script with a mark below it, then the place.
func readDeno(text string) (found []runner.Finding) {
	var lines []string // of the finding under way
	code := ""
	for line := range strings.SplitSeq(text, "\n") {
		if start := findingStart.FindStringSubmatch(line); start != nil && code == "" {
			code, lines = start[1], []string{start[2]}
			continue
		}
		place := findingPlace.FindStringSubmatch(line)
		if code == "" || place == nil {
			lines = append(lines, line)
			continue
		}
		row, _ := strconv.Atoi(place[1])    // digits
		column, _ := strconv.Atoi(place[2]) // digits
		message := lines[:max(1, len(lines)-2)]
		found = append(found, runner.Finding{Line: row, Column: column, Code: code, Message: strings.Join(message, "\n")})
		code = ""
	}
	return found
}
