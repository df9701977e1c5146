package deno

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
)

const (
	// Variable is the environment variable with the path of Deno. If it is set, no other Deno is tried.
	Variable = "TOOLSCRIPT_DENO"
	// oldestMajor and oldestMinor are the first version without a warning. In older versions,
	// an address written as one number bypasses --deny-net (GHSA-v8fw-85r8-5m23).
	oldestMajor, oldestMinor = 2, 8
	// askTime bounds the query of the version, which takes 10 ms.
	askTime = 10 * time.Second
)

// Search says where to look for Deno.
type Search struct {
	Named     string // value of Variable; "" if it is not set
	Path      string // value of PATH
	Installed string // folder of Install; "" if there is none
}

// Find looks for Deno. If a program is named, Find tries only that; otherwise it looks in
// PATH, and then in the folder of Install.
func (s Search) Find(ctx context.Context) toolscript.EngineStatus {
	status := toolscript.EngineStatus{Name: toolscript.EngineDeno}
	path, err := s.locate()
	if err != nil {
		status.Reason = err.Error()
		return status
	}
	major, minor, version, err := versionOf(ctx, path)
	if err != nil {
		status.Reason = fmt.Sprintf("%s is not a working Deno: %v; set %s to another Deno; toolscript deno install installs one", path, err, Variable)
		return status
	}
	status.Available, status.Path, status.Version = true, path, version
	if outdated(major, minor) {
		status.Warning = fmt.Sprintf("Deno %s is older than %d.%d, whose network permissions can be bypassed: run deno upgrade, or run toolscript deno install and set %s to the installed program", version, oldestMajor, oldestMinor, Variable)
	}
	return status
}

func outdated(major, minor int) bool {
	return major < oldestMajor || major == oldestMajor && minor < oldestMinor
}

func (s Search) locate() (string, error) {
	if s.Named != "" {
		path, err := filepath.Abs(s.Named)
		if err == nil {
			err = program(path)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w; set it to the path of Deno, or unset it and run: toolscript deno install", Variable, err)
		}
		return path, nil
	}
	for _, folder := range filepath.SplitList(s.Path) {
		if path := filepath.Join(folder, executableName); filepath.IsAbs(path) && program(path) == nil {
			return path, nil
		}
	}
	if s.Installed != "" {
		if path := filepath.Join(s.Installed, executableName); program(path) == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no deno in PATH and %s is not set; run: toolscript deno install", Variable)
}

var executableName = map[bool]string{true: "deno.exe", false: "deno"}[runtime.GOOS == "windows"]

// program returns an error if path is not a program. It refuses scripts: the script that npm
// installs into PATH would run between the gateway and Deno, and hide how Deno ended.
func program(path string) error {
	f, err := os.Open(path) //nolint:gosec // a path that the user configured
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	if err != nil {
		return err
	}
	start := make([]byte, 2)
	switch _, err := io.ReadFull(f, start); {
	case info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case err != nil || string(start) == "#!":
		return fmt.Errorf("%s is a script that starts Deno, and must be Deno itself", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("%s cannot be executed", path)
	}
	return nil
}

var versionLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^deno ((\d{1,6})\.(\d{1,6})\.\S+)`) })

// versionOf asks the program at path for its version.
func versionOf(ctx context.Context, path string) (major, minor int, version string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = []string{"NO_COLOR=1", "DENO_NO_UPDATE_CHECK=1"}
	out, err := cmd.Output()
	if err != nil {
		return 0, 0, "", err
	}
	return parseVersion(string(out))
}

func parseVersion(said string) (major, minor int, version string, err error) {
	found := versionLine().FindStringSubmatch(said)
	if found == nil {
		return 0, 0, "", errors.New("it does not print its version")
	}
	major, _ = strconv.Atoi(found[2]) // digits
	minor, _ = strconv.Atoi(found[3])
	return major, minor, found[1], nil
}
