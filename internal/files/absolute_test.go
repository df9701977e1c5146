package files_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
)

func TestAbsolute(t *testing.T) {
	dir, cases := "/work", map[string]string{"a": "/work/a", "../b": "/b", "/c/../d": "/c/../d", ".": "/work", "": "/work", "C:x": "/work/C:x", `\x`: `/work/\x`}
	if runtime.GOOS == "windows" {
		dir, cases = `C:\work`, map[string]string{
			"a": `C:\work\a`, `..\b`: `C:\b`, "sub/c": `C:\work\sub\c`, ".": `C:\work`, "": `C:\work`,
			`D:\x`: `D:\x`, "d:/x": "d:/x", `\\host\share\x`: `\\host\share\x`, `\\?\C:\x`: `\\?\C:\x`,
			`\x`: `C:\x`, "/x/../y": `C:\y`, "C:x": `C:\work\x`, `c:..\x`: `C:\x`, "D:x": `D:\x`, "D:": `D:\`,
		}
	}
	for path, want := range cases {
		got := files.Absolute(dir, path)
		if got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
		if !filepath.IsAbs(got) {
			t.Errorf("%q: %q is not absolute", path, got)
		}
	}
}
