package script_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

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

// condition implements the condition [tsc] in scripts.
func condition(name string) (bool, error) {
	switch name {
	case "tsc":
		return tsc() != "", nil
	case "watch":
		return observed.Works() == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}
