package exec_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/exec"
)

// write writes files, by their paths below a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestModules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "script")
	lib := `import type { T } from "../types.ts"; export { x } from './more.ts'; import main from "../main.ts"`
	write(t, dir, map[string]string{
		"parts/lib.ts": lib, "parts/more.ts": "export const x = 1", "types.ts": `import "./parts/lib.ts"`,
		"late.js": "export default 2", "typed.ts": "", "folder.ts/x.ts": "", "data.json": "{}", "latin.ts": "export const a = 'gr\xfcn'",
		"large.ts": strings.Repeat(" ", 1<<20+1), "not-imported.ts": "", "../up.ts": "above",
	})
	got := exec.Modules(filepath.Join(dir, "main.ts"), `
		import { x } from "./parts/lib.ts"; import "./parts/../parts/lib.ts"
		const late = await import( `+"`./late.js`"+`);
		import a from "./typed.js"; import b from "./nowhere.ts"; import c from "./folder.ts"; import d from "./data.json";
		import e from "./latin.ts"; import f from "./large.ts"; import g from "../up.ts"; import h from "./main.ts"; import i from "typed.ts";
		const text = "./not-imported.ts"; import j from "/etc/passwd"; import k from "./typed";`)
	want := []toolscript.ScriptModule{
		{Path: "parts/lib.ts", Code: lib},
		{Path: "late.js", Code: "export default 2"},
		{Path: "typed.js", Problem: "there is no such file; import typed.ts"},
		{Path: "nowhere.ts", Problem: "there is no such file"},
		{Path: "folder.ts", Problem: "it is a folder; name a file in it"},
		{Path: "latin.ts", Problem: "it is not UTF-8 text (the first wrong line is 1); save it as UTF-8"},
		{Path: "large.ts", Problem: "it has more than 1 MB"},
		{Path: "types.ts", Code: `import "./parts/lib.ts"`},
		{Path: "parts/more.ts", Code: "export const x = 1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
}

// TestModulesBehindLinks checks that links are followed only inside the folder of the script.
func TestModulesBehindLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
	dir := filepath.Join(t.TempDir(), "script")
	write(t, dir, map[string]string{"real.ts": "inside", "../secret.ts": "secret", "../other/secret.ts": "secret"})
	for name, target := range map[string]string{
		"in.ts": "real.ts", "out.ts": "../secret.ts", "absolute.ts": filepath.Join(dir, "..", "secret.ts"), "other": "../other", "loop.ts": "loop.ts", "device.ts": "/dev/zero",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	got := exec.Modules(filepath.Join(dir, "main.ts"), `import "./in.ts"; import "./out.ts"; import "./absolute.ts"; import "./other/secret.ts"; import "./loop.ts"; import "./device.ts"`)
	const outside = "it is a link to a place outside of the folder of the script"
	want := []toolscript.ScriptModule{
		{Path: "in.ts", Code: "inside"}, {Path: "out.ts", Problem: outside}, {Path: "absolute.ts", Problem: outside},
		{Path: "other/secret.ts", Problem: outside}, {Path: "loop.ts", Problem: "too many levels of symbolic links"}, {Path: "device.ts", Problem: outside},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
}

func TestModulesAreBounded(t *testing.T) {
	dir := t.TempDir()
	files, code := map[string]string{}, ""
	for n := range toolscript.MostModules + 20 {
		name := "m" + strconv.Itoa(n) + ".ts"
		files[name], code = "export {}", code+`import "./`+name+`";`
	}
	write(t, dir, files)
	if got := exec.Modules(filepath.Join(dir, "main.ts"), code); len(got) != toolscript.MostModules {
		t.Errorf("%d modules, want %d", len(got), toolscript.MostModules)
	}
}
