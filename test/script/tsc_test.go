package script_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/toolscript/toolscript/runner/confine"
	"github.com/toolscript/toolscript/runner/observed"
)

// tsc returns the path of the pinned TypeScript compiler: $TOOLSCRIPT_TSC, or the one in the test
// folder, or "". Scripts that need it report that it is missing.
func tsc() string {
	path := os.Getenv("TOOLSCRIPT_TSC")
	if path == "" {
		path = filepath.Join("..", "node_modules", ".bin", "tsc")
		if runtime.GOOS == "windows" {
			path += ".cmd"
		}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	if _, err := os.Stat(path); err != nil {
		fmt.Printf("types are not checked: no tsc (%v); run: task peers\n", err)
		return ""
	}
	return path
}

// condition implements the conditions [tsc], [links], [npmdeno], [landlock] and [watch] in scripts.
func condition(name string) (bool, error) {
	switch name {
	case "tsc":
		return tsc() != "", nil
	case "links":
		return links(), nil
	case "npmdeno":
		return npmDeno(), nil
	case "landlock":
		return confine.Kernel().Active, nil
	case "watch":
		return observed.Works() == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// links reports whether the system makes symbolic links. Wine says that it has made one, and has made none.
var links = sync.OnceValue(func() bool {
	folder, err := os.MkdirTemp("", "links")
	if err != nil {
		return false
	}
	path := filepath.Join(folder, "link")
	if err = os.Symlink("file", path); err == nil {
		_, err = os.Readlink(path)
	}
	return errors.Join(err, os.RemoveAll(folder)) == nil
})

// npmDeno reports whether this system can run a Deno of npm, which needs glibc on Linux.
func npmDeno() bool {
	if runtime.GOOS != "linux" {
		return true
	}
	_, err := os.Stat(map[string]string{"amd64": "/lib64/ld-linux-x86-64.so.2", "arm64": "/lib/ld-linux-aarch64.so.1"}[runtime.GOARCH])
	return err == nil
}
