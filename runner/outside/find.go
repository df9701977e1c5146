package outside

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// askTime bounds the question for the version, which takes 20 ms.
const askTime = 10 * time.Second

// oldest is the first TypeScript that is a program of its own and a language
// server.
const oldest = 7

// FindTypeScript looks in PATH for the native compiler: as tsc itself, or beside
// the script of that name that npm has installed. It answers "" when there is
// none, or one that is too old.
func FindTypeScript(ctx context.Context, path string) string {
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		tsc, err := filepath.EvalSymlinks(filepath.Join(folder, "tsc"))
		if err != nil {
			continue
		}
		for _, program := range append([]string{tsc}, ofPackage(tsc)...) {
			if majorVersion(ctx, program) >= oldest {
				return program
			}
		}
	}
	return ""
}

// ofPackage are the places where npm puts the native compiler of the package
// whose bin/tsc a script is.
func ofPackage(script string) []string {
	system := map[string]string{"windows": "win32"}[runtime.GOOS]
	if system == "" {
		system = runtime.GOOS
	}
	processor := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if processor == "" {
		processor = runtime.GOARCH
	}
	of := filepath.Dir(filepath.Dir(script))
	program := filepath.Join("@typescript", "typescript-"+system+"-"+processor, "lib", "tsc")
	return []string{filepath.Join(of, "node_modules", program), filepath.Join(filepath.Dir(of), program)}
}

var versionLine = regexp.MustCompile(`^Version (\d{1,6})\.`)

// majorVersion is that of a native compiler, 0 of what is none.
func majorVersion(ctx context.Context, program string) int {
	if start, err := readStart(program); err != nil || strings.HasPrefix(start, "#!") {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.Env, cmd.Dir = []string{"NO_COLOR=1"}, filepath.Dir(program)
	out, err := cmd.Output()
	found := versionLine.FindSubmatch(out)
	if err != nil || found == nil {
		return 0
	}
	major, _ := strconv.Atoi(string(found[1])) // digits
	return major
}

func readStart(path string) (string, error) {
	f, err := os.Open(path) //nolint:gosec // a program in the user's PATH
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	start := make([]byte, 2)
	n, err := f.Read(start)
	return string(start[:n]), err
}
