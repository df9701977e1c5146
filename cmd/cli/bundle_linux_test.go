package cli_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
)

// bundled is the manifest of a bundle with settings of all kinds, whose program is the demo server.
const bundled = `{"manifest_version":"0.3","name":"My Notes","version":"1.2.0","description":"Reads notes.","author":{"name":"Ann"},
	"server":{"type":"binary","entry_point":"bin/notes","mcp_config":{"command":"${__dirname}/bin/notes","args":["${user_config.folders}"],
		"env":{"NOTES_KEY":"${user_config.api-key}","NOTES_LIMIT":"${user_config.limit}","NOTES_TEXT":"${user_config.text}","NOTES_DEEP":"${user_config.deep}"}}},
	"user_config":{
		"folders":{"type":"directory","title":"Folders","multiple":true,"required":true},
		"api-key":{"type":"string","title":"Key","sensitive":true,"required":true},
		"limit":{"type":"number","title":"Limit","default":10,"min":1,"max":20},
		"text":{"type":"string","title":"Text"},
		"deep":{"type":"boolean","default":false}}}`

// bundleWorld returns a world with a bundle in its folder, and the data folder.
func bundleWorld(t *testing.T, manifest string, files map[string]string) (w *world, data string) {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere") // without a keyring
	w = newWorld(t, nil)
	data = newData(t)
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+data)
	writeBundle(t, filepath.Join(w.dir, "notes.mcpb"), manifest, files)
	return w, data
}

func writeBundle(t *testing.T, path, manifest string, files map[string]string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(f)
	put := func(name, text string) {
		part, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	put("manifest.json", manifest)
	for name, text := range files {
		put(name, text)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// notes returns the program of the bundle.
func notes(t *testing.T) map[string]string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"bin/notes": "#!/bin/sh\ntest -n \"$NOTES_KEY\" && exec " + self + " mcp-demo \"$1\"\n"}
}

// defined returns the definition of a server in the user's file.
func (w *world) defined(t *testing.T, name string) (d struct {
	Command, Cwd string
	Args         []string
	Env          map[string]string
	Disabled     bool
}) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "../home/.toolscript.json"))
	var file struct{ MCPServers map[string]json.RawMessage }
	if err != nil || json.Unmarshal(text, &file) != nil || json.Unmarshal(file.MCPServers[name], &d) != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return d
}

// add asks for the settings and the secret of a bundle. Its server runs, and remove leaves nothing of it.
func TestAddBundle(t *testing.T) {
	w, data := bundleWorld(t, bundled, notes(t))
	if err := os.WriteFile(filepath.Join(w.dir, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// deep, folders, limit and text in their order; then the change, and the secret
	r := w.typing(t, "true\n"+w.dir+"\n7\na ${HOME} b\ny\ny\nsesame-open-1234\n", "add", "notes.mcpb")
	if r.code != 0 || !strings.Contains(r.stderr, "My Notes 1.2.0: Reads notes.") || !strings.Contains(r.stderr, "folders (Folders) []: ") || !strings.Contains(r.stderr, "limit (Limit) [10]: ") || strings.Contains(r.stderr+r.stdout, "sesame") {
		t.Fatalf("%+v", r)
	}
	d := w.defined(t, "my-notes")
	folder := d.Cwd
	if !strings.HasPrefix(folder, filepath.Join(data, "bundles", "my-notes-")) || d.Command != filepath.Join(folder, "bin/notes") || len(d.Args) != 1 || d.Args[0] != w.dir {
		t.Errorf("definition %+v", d)
	}
	for name, want := range map[string]string{"NOTES_KEY": "${secret:MY_NOTES_API_KEY}", "NOTES_LIMIT": "7", "NOTES_TEXT": "a $${HOME} b", "NOTES_DEEP": "true"} {
		if d.Env[name] != want {
			t.Errorf("%s is %q, want %q", name, d.Env[name], want)
		}
	}
	if r := w.run(t, "exec", `return (await tools.myNotes.readFile({ path: "a.txt" })).lines`); r.code != 0 || r.stdout != "1\n" {
		t.Errorf("exec: %+v", r)
	}
	if r := w.run(t, "remove", "my-notes", "--yes"); r.code != 0 || !strings.Contains(r.stderr, "removed the files of the bundle 1.2.0 of my-notes") || !strings.Contains(r.stderr, "removed the secret MY_NOTES_API_KEY") {
		t.Errorf("remove: %+v", r)
	}
	if list := w.run(t, "secret", "list").stdout; strings.Contains(list, "MY_NOTES") {
		t.Errorf("secrets:\n%s", list)
	}
	if _, err := os.Stat(filepath.Join(data, "bundles")); err == nil {
		t.Error("the folder of bundles is left")
	}
	if left := names(t, filepath.Join(data, "cache/tools")); len(left) > 0 {
		t.Errorf("lists of tools are left: %v", left)
	}
}

// names returns the names in a folder.
func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// Settings are given as KEY=VALUE, too. Nothing is unpacked before the user agrees, and --undo removes the files.
func TestAddBundleWithoutQuestions(t *testing.T) {
	w, data := bundleWorld(t, bundled, notes(t))
	bundles := filepath.Join(data, "bundles")
	for want, words := range map[string][]string{
		"it needs a value for folders (Folders); give it as folders=VALUE": {},
		"there is no directory " + w.dir + "/gone":                         {"folders=gone"},
		"limit=21 is not a number between its bounds":                      {"folders=.", "limit=21"},
		`deep is true or false, not "maybe"`:                               {"folders=.", "deep=maybe"},
		"api-key is a secret, and other programs see arguments":            {"folders=.", "api-key=sesame"},
		"limit=NaN is not a number between its bounds":                     {"folders=.", "limit=NaN"},
		`the bundle has no setting "color"; it has: api-key, deep,`:        {"folders=.", "color=red"},
	} {
		if r := w.run(t, append([]string{"add", "notes.mcpb", "--yes"}, words...)...); r.code != 1 || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: %+v", words, r)
		}
	}
	for want, words := range map[string][]string{
		"--env, --header, --transport and --from are not for a bundle":             {"add", "notes.mcpb", "--env", "A=b"},
		"the file of a bundle comes first: toolscript add notes.mcpb --name notes": {"add", "notes", "notes.mcpb"},
	} {
		if r := w.run(t, words...); r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: %+v", words, r)
		}
	}
	if r := w.typing(t, "n\n", "add", "notes.mcpb", "folders=.", "limit=3", "text=x", "deep=true"); r.code != 0 {
		t.Errorf("declined: %+v", r)
	}
	if left := names(t, bundles); len(left) > 0 {
		t.Errorf("unpacked without consent: %v", left)
	}
	r := w.run(t, "add", "notes.mcpb", "--yes", "--name", "n", "folders=.:..")
	if r.code != 0 || !strings.Contains(r.stderr, "toolscript secret set N_API_KEY --for n") {
		t.Fatalf("%+v", r)
	}
	if d := w.defined(t, "n"); len(d.Args) != 2 || d.Args[1] != filepath.Dir(w.dir) || d.Env["NOTES_LIMIT"] != "10" || d.Env["NOTES_TEXT"] != "" {
		t.Errorf("definition %+v", d)
	}
	if r := w.run(t, "add", "notes.mcpb", "--yes", "--name", "n"); r.code != 0 || !strings.Contains(r.stderr, "has this server already") {
		t.Errorf("again: %+v", r)
	}
	if r := w.run(t, "add", "notes.mcpb", "--yes", "--name", "n", "limit=3"); r.code != 0 || w.defined(t, "n").Env["NOTES_LIMIT"] != "3" || len(w.defined(t, "n").Args) != 2 {
		t.Errorf("another setting: %+v", r)
	}
	for range 2 {
		if r := w.run(t, "add", "--undo"); r.code != 0 {
			t.Errorf("undo: %+v", r)
		}
	}
	if left := names(t, bundles); len(left) > 0 {
		t.Errorf("left after undo: %v", left)
	}
}

// A new version of a bundle replaces the earlier one. The settings stay, as does what the user has added to the
// server, and only what is new is asked. --undo brings the earlier version back.
func TestUpdateBundle(t *testing.T) {
	w, data := bundleWorld(t, bundled, notes(t))
	if r := w.run(t, "add", "notes.mcpb", "--yes", "folders=.", "limit=3"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if r := w.run(t, "disable", "my-notes", "--yes"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	before := w.defined(t, "my-notes")
	newer := strings.NewReplacer(`"1.2.0"`, `"1.3.0"`, `"deep":{"type":"boolean","default":false}`, `"level":{"type":"string","default":"high"}`, "NOTES_DEEP", "NOTES_LEVEL", "user_config.deep", "user_config.level").Replace(bundled)
	writeBundle(t, filepath.Join(w.dir, "notes.mcpb"), newer, notes(t))
	r := w.run(t, "add", "notes.mcpb", "--yes")
	if r.code != 0 || !strings.Contains(r.stderr, "replaces:    My Notes 1.2.0, whose files stay") {
		t.Fatalf("%+v", r)
	}
	d := w.defined(t, "my-notes")
	if d.Cwd == before.Cwd || d.Command != filepath.Join(d.Cwd, "bin/notes") || strings.Join(d.Args, " ") != w.dir || d.Env["NOTES_LIMIT"] != "3" || d.Env["NOTES_LEVEL"] != "high" || !d.Disabled {
		t.Errorf("updated: %+v", d)
	}
	if _, has := d.Env["NOTES_DEEP"]; has {
		t.Errorf("a setting that is gone: %+v", d)
	}
	if r := w.run(t, "add", "--undo", "--yes"); r.code != 0 || w.defined(t, "my-notes").Command != before.Command {
		t.Errorf("undo: %+v", r)
	}
	if _, err := os.Stat(before.Command); err != nil {
		t.Error(err)
	}
	if left := names(t, filepath.Join(data, "bundles")); len(left) != 2 {
		t.Errorf("folders after undo: %v", left)
	}
	other := strings.Replace(newer, "My Notes", "my notes", 1)
	writeBundle(t, filepath.Join(w.dir, "notes.mcpb"), other, notes(t))
	if r := w.run(t, "add", "notes.mcpb", "--yes", "folders=."); r.code == 0 || !strings.Contains(r.stderr, "choose another name") {
		t.Errorf("another bundle: %+v", r)
	}
}

// TestBundleAddedAtOnce: of two commands that add a bundle at the same time, neither removes the files of the other. A
// change that the user does not want changes nothing.
func TestBundleAddedAtOnce(t *testing.T) {
	files := notes(t)
	for i := range 200 {
		files[fmt.Sprintf("doc/%d/%d.txt", i%10, i)] = strings.Repeat("x", 1000)
	}
	for range 5 {
		w, data := bundleWorld(t, bundled, files)
		var results [2]result
		var wait sync.WaitGroup
		for i := range results {
			wait.Go(func() { results[i] = w.run(t, "add", "notes.mcpb", "--yes", "folders=.") })
		}
		wait.Wait()
		if results[0].code != 0 && results[1].code != 0 {
			t.Errorf("%+v", results)
		}
		d := w.defined(t, "my-notes")
		if left := names(t, filepath.Join(d.Cwd, "doc")); len(left) != 10 {
			t.Errorf("%d folders of %s are left: %+v", len(left), d.Cwd, results)
		}
		if left := names(t, filepath.Join(data, "bundles")); len(left) != 2 {
			t.Errorf("the bundles are %q", left)
		}
		record := filepath.Join(data, "bundles", filepath.Base(d.Cwd)+".json")
		before, err := os.ReadFile(record)
		if err != nil {
			t.Fatal(err)
		}
		if r := w.typing(t, "n\n", "add", "notes.mcpb", "folders=.", "limit=5", "deep=true", "text=x"); !strings.Contains(r.stderr, "nothing was written") {
			t.Errorf("%+v", r)
		}
		if after, err := os.ReadFile(record); err != nil || string(after) != string(before) {
			t.Errorf("%v: the record has become %s", err, after)
		}
	}
}

// onlyProgram makes a program that prints its version the only one in PATH.
func onlyProgram(t *testing.T, name, version string) {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho "+version+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
}

// What a bundle must not do is an error before anything is written.
func TestBundlesThatAreRefused(t *testing.T) {
	onlyProgram(t, "python3", "Python 3.12.1")
	const head = `{"manifest_version":"0.3","name":"b","version":"1","description":"d","author":{"name":"a"},`
	for want, manifest := range map[string]string{
		"the reference ${AWS_SECRET} is not known":                                head + `"server":{"type":"binary","entry_point":"bin/notes","mcp_config":{"command":"${__dirname}/bin/notes","env":{"X":"${AWS_SECRET}"}}}}`,
		"the secret user_config.k is an argument of the program":                  head + `"server":{"type":"binary","entry_point":"bin/notes","mcp_config":{"command":"bin/notes","args":["-k","${user_config.k}"]}},"user_config":{"k":{"type":"string","sensitive":true,"required":true}}}`,
		"the reference ${user_config.nope} is not known":                          head + `"server":{"type":"binary","entry_point":"bin/notes","mcp_config":{"command":"bin/notes","args":["x${user_config.nope}y"]}}}`,
		`the bundle is for win 32, and this is linux`:                             head + `"server":{"type":"binary","entry_point":"bin/notes","mcp_config":{"command":"bin/notes"}},"compatibility":{"platforms":["win\n32"]}}`,
		"is another program than server.entry_point":                              head + `"server":{"type":"binary","entry_point":"bin/notes","mcp_config":{"command":"/bin/sh"}}}`,
		`a server of the type node runs with node`:                                head + `"server":{"type":"node","entry_point":"bin/notes","mcp_config":{"command":"sh"}}}`,
		"the bundle needs uv, which is not in PATH":                               head + `"server":{"type":"uv","entry_point":"bin/notes"}}`,
		"the bundle needs python >=9.1, and python":                               head + `"server":{"type":"python","entry_point":"bin/notes","mcp_config":{"command":"python"}},"compatibility":{"runtimes":{"python":">=9.1"}}}`,
		"manifest.json: server.entry_point \"bin/gone\" is no file of the bundle": head + `"server":{"type":"node","entry_point":"bin/gone","mcp_config":{"command":"node"}}}`,
	} {
		w, data := bundleWorld(t, manifest, map[string]string{"bin/notes": "x", "pyproject.toml": ""})
		if r := w.run(t, "add", "notes.mcpb", "--yes"); r.code != 1 || !strings.Contains(r.stderr, want) {
			t.Errorf("want %s: %+v", want, r)
		}
		if left := names(t, filepath.Join(data, "bundles")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}

// A bundle of Node.js gets the runtime of this machine and the references of its manifest.
func TestAddBundleOfARuntime(t *testing.T) {
	manifest := `{"dxt_version":"0.1","name":"js","version":"1","description":"d","author":{"name":"a"},"server":{"type":"node","entry_point":"server/index.js","mcp_config":{
		"command":"node","args":["${__dirname}${/}server/index.js","${HOME}"],"env":{"A":"${DOCUMENTS}:x"},"platform_overrides":{"linux":{"env":{"ON":"linux"}}}}},
		"compatibility":{"platforms":["linux","win32"],"runtimes":{"node":">=16.0.0, <99"}}}`
	onlyProgram(t, "node", "v20.3.1")
	w, _ := bundleWorld(t, manifest, map[string]string{"server/index.js": ""})
	if r := w.run(t, "add", "notes.mcpb", "--yes"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	home := filepath.Join(filepath.Dir(w.dir), "home")
	d := w.defined(t, "js")
	if d.Command != "node" || strings.Join(d.Args, " ") != filepath.Join(d.Cwd, "server/index.js")+" "+home || d.Env["A"] != home+"/Documents:x" || d.Env["ON"] != "linux" {
		t.Errorf("definition %+v", d)
	}
}

// TestValuesAreNoReferences: a $ of one value and a { of the next part are not a reference to a variable or a secret
// of the user.
func TestValuesAreNoReferences(t *testing.T) {
	const head = `{"manifest_version":"0.3","name":"x","version":"1","description":"d","author":{"name":"A"},"server":{"type":"binary","entry_point":"bin/notes","mcp_config":{`
	w, _ := bundleWorld(t, head+`"command":"${__dirname}/bin/notes","args":["${user_config.a}{HOME}","a$${user_config.b}"],"env":{"E":"${user_config.a}{secret:OTHER}","F":"${user_config.a}${user_config.b}"}}},
		"user_config":{"a":{"type":"string","default":"$"},"b":{"type":"string","default":"{HOME}"}}}`, notes(t))
	if r := w.run(t, "add", "notes.mcpb", "--yes"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	d := w.defined(t, "x")
	if got, want := strings.Join(append(d.Args, d.Env["E"], d.Env["F"]), " "), "$${HOME} a$${HOME} $${secret:OTHER} $${HOME}"; got != want {
		t.Errorf("the configuration has %s, want %s", got, want)
	}
	w, _ = bundleWorld(t, head+`"command":"bin/notes","env":{"E":"$${user_config.k}"}}},"user_config":{"k":{"type":"string","sensitive":true,"required":true}}}`, notes(t))
	if r := w.run(t, "add", "notes.mcpb", "--yes"); r.code != 1 || !strings.Contains(r.stderr, "a $ before the secret ${user_config.k} cannot be written") {
		t.Errorf("%+v", r)
	}
}

// TestBundleAddedTwice: while the user reads the change, another command adds the same bundle. Its files stay.
func TestBundleAddedTwice(t *testing.T) {
	w, _ := bundleWorld(t, bundled, notes(t))
	terminal := kit.NewTerminal(t, 80)
	var stdout kit.Buffer
	c := w.start(t, command{stdin: terminal.Screen, stdout: &stdout}, "add", "notes.mcpb", "folders=.", "limit=3", "text=x", "deep=true")
	kit.Shows(t, c.stderr.String, "Write this?")
	if r := w.run(t, "add", "notes.mcpb", "--yes", "folders=."); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if _, err := io.WriteString(terminal.Keyboard, "y\n"); err != nil {
		t.Fatal(err)
	}
	if code := <-c.code; code != 1 || !strings.Contains(c.stderr.String(), "has a bundle of the name my-notes; choose another name with --name") {
		t.Errorf("code %d: %s", code, c.stderr)
	}
	if _, err := os.Stat(w.defined(t, "my-notes").Command); err != nil {
		t.Errorf("the files of the server: %v", err)
	}
}

// TestSecretOfAnotherServer: removal keeps a secret that a server of the same name in another file has.
func TestSecretOfAnotherServer(t *testing.T) {
	w, _ := bundleWorld(t, bundled, notes(t))
	for path, text := range map[string]string{
		"../home/.toolscript.json": `{"mcpServers": {"my-notes": {"command": "true", "env": {"K": "${secret:MY_NOTES_API_KEY}"}}}}`, ".toolscript.json": `{"mcpServers": {}}`,
	} {
		if err := os.WriteFile(filepath.Join(w.dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r := w.given(t, strings.NewReader("sesame-open-1234\n"), "secret", "set", "MY_NOTES_API_KEY", "--for", "my-notes", "--storage", "file"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	for _, words := range [][]string{{"add", "notes.mcpb", "--project", "--yes", "folders=."}, {"remove", "my-notes", "--yes"}} {
		if r := w.run(t, words...); r.code != 0 {
			t.Fatalf("%v: %+v", words, r)
		}
	}
	if r := w.run(t, "secret", "list"); !strings.Contains(r.stdout, "MY_NOTES_API_KEY\tfile\tmy-notes") {
		t.Errorf("%+v", r)
	}
}

// TestBundleOfAnAbsentFile: removal of another server keeps a bundle whose file is absent, as that of a project in another
// branch, and one whose server a person has renamed.
func TestBundleOfAnAbsentFile(t *testing.T) {
	w, data := bundleWorld(t, bundled, notes(t))
	file := filepath.Join(w.dir, "../home/.toolscript.json")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, `{"mcpServers": {}}`)
	if r := w.run(t, "add", "notes.mcpb", "--yes", "folders=."); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(w.dir, "other.json")
	for name, now := range map[string]string{"absent": "", "renamed": strings.Replace(string(text), `"my-notes"`, `"mine"`, 1)} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if now != "" {
			write(file, now)
		}
		write(other, `{"mcpServers": {"x": {"command": "true"}}}`)
		if r := w.run(t, "remove", "x", "--yes", "-c", other); r.code != 0 {
			t.Fatalf("%s: %+v", name, r)
		}
		if left := names(t, filepath.Join(data, "bundles")); len(left) != 2 {
			t.Errorf("%s: left are %v", name, left)
		}
		write(file, string(text))
	}
}

// TestBundleIsAPipe: a pipe is an error, and is not opened.
func TestBundleIsAPipe(t *testing.T) {
	w, _ := bundleWorld(t, bundled, nil)
	if err := syscall.Mkfifo(filepath.Join(w.dir, "pipe.mcpb"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := w.run(t, "add", "pipe.mcpb"); r.code != 1 || !strings.Contains(r.stderr, "a bundle is a file of at most 512 MB") {
		t.Errorf("%+v", r)
	}
}

// TestBundleOfAnyName checks that the name of a server never leads out of the folder of the bundles.
func TestBundleOfAnyName(t *testing.T) {
	const manifest = `{"manifest_version":"0.3","name":"x","version":"1","description":"d","author":{"name":"A"},
		"server":{"type":"binary","entry_point":"bin/notes","mcp_config":{"command":"${__dirname}/bin/notes"}}}`
	w, data := bundleWorld(t, manifest, notes(t))
	if err := os.WriteFile(filepath.Join(data, "kept"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{}
	for _, name := range []string{"..", "../../x", "a/b", "a b", "a-b", "/x", "x"} {
		if r := w.run(t, "add", "notes.mcpb", "--name", name, "--yes"); r.code != 0 {
			t.Fatalf("%q: %s", name, r.stderr)
		}
		command := w.defined(t, name).Command
		inside, below := strings.CutPrefix(command, filepath.Join(data, "bundles")+"/")
		folder, rest, _ := strings.Cut(inside, "/")
		if !below || rest != "bin/notes" || folders[folder] != "" {
			t.Errorf("%q: the command is %s", name, command)
		}
		folders[folder] = name
	}
	for _, name := range folders {
		if r := w.run(t, "remove", name, "--yes"); r.code != 0 {
			t.Errorf("%q: %s", name, r.stderr)
		}
	}
	left, err := os.ReadDir(filepath.Dir(data))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(data, "kept")); err != nil {
		t.Errorf("%v; beside the data folder: %v", err, left)
	}
	if bundles, err := os.ReadDir(filepath.Join(data, "bundles")); err == nil {
		t.Errorf("left: %v", bundles)
	}
}
