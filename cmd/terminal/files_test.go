package terminal

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// filesOf prints a value and stores its files in dir.
func filesOf(dir, value string) (text string, kept []byte, said []string, err error) {
	p := ValuePrinter{
		Describe: true, Dir: dir, DirName: "out",
		Keep: func(_ string, v []byte) error { kept = v; return nil },
		Say:  func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) },
	}
	out, _, err := p.Text("run_1", json.RawMessage(value))
	return string(out), kept, said, err
}

func image(mimeType, content string) string {
	return fmt.Sprintf(`{"type":"image","mimeType":%q,"data":%q}`, mimeType, base64.StdEncoding.EncodeToString([]byte(content)))
}

// names lists a folder, with the permissions and the content of each file.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			content = []byte("-")
		}
		all = append(all, fmt.Sprintf("%s %v %s", e.Name(), info.Mode(), content))
	}
	return strings.Join(all, "\n")
}

// TestFilesOfAValue: file names are numbered, and contain no text of a server.
func TestFilesOfAValue(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "out")
	if err := MakeDir(dir); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	for _, at := range []string{"image-1.png", "resource-1.txt"} { // one is a broken link, and one leads to a file
		if err := os.Symlink(outside, filepath.Join(dir, at)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "image-2.png"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, kept, said, err := filesOf(dir, `{"shots":[`+image("image/png", "a")+`,`+image("image/PNG; x=1", "b")+`,`+image("image/..", "c")+`],`+
		`"sound":{"type":"audio","mimeType":"audio/wav","data":"ZA=="},`+
		`"doc":{"type":"resource","resource":{"uri":"file:///../../../../x.txt","mimeType":"text/plain","text":"e"}},`+
		`"pdf":{"type":"resource","resource":{"uri":"x://\u0000/..","mimeType":"application/pdf","blob":"Zg=="}},`+
		`"read":{"contents":[{"uri":"x://y","mimeType":"x/y","blob":"Zw=="}]},"text":{"uri":"x://y","text":"stays"},"n":1.50}`)
	if err != nil || kept != nil {
		t.Errorf("kept %q, %v", kept, err)
	}
	want := `{"shots":[{"type":"image","mimeType":"image/png","bytes":1,"path":"out/image-3.png"},` +
		`{"type":"image","mimeType":"image/PNG; x=1","bytes":1,"path":"out/image-4.png"},` +
		`{"type":"image","mimeType":"image/..","bytes":1,"path":"out/image-5.bin"}],` +
		`"sound":{"type":"audio","mimeType":"audio/wav","bytes":1,"path":"out/audio-1.wav"},` +
		`"doc":{"type":"resource","mimeType":"text/plain","bytes":1,"path":"out/resource-2.txt"},` +
		`"pdf":{"type":"resource","mimeType":"application/pdf","bytes":1,"path":"out/resource-3.pdf"},` +
		`"read":{"contents":[{"type":"resource","mimeType":"x/y","bytes":1,"path":"out/resource-4.bin"}]},"text":{"uri":"x://y","text":"stays"},"n":1.50}`
	if text != want {
		t.Errorf("printed\n%s, want\n%s", text, want)
	}
	if len(said) != 1 || said[0] != "toolscript: wrote out/image-3.png, out/image-4.png, out/image-5.bin, out/audio-1.wav, out/resource-2.txt, out/resource-3.pdf, out/resource-4.bin" {
		t.Errorf("said %q", said)
	}
	const files = `audio-1.wav -rw------- d
image-1.png Lrwxrwxrwx -
image-2.png -rw------- mine
image-3.png -rw------- a
image-4.png -rw------- b
image-5.bin -rw------- c
resource-1.txt Lrwxrwxrwx -
resource-2.txt -rw------- e
resource-3.pdf -rw------- f
resource-4.bin -rw------- g`
	if got := names(t, dir); got != files {
		t.Errorf("the folder has\n%s\nwant\n%s", got, files)
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a link was followed")
	}
}

// TestTooManyFiles: what exceeds the limits is named in the error, and is kept.
func TestTooManyFiles(t *testing.T) {
	dir := t.TempDir()
	value := "[" + strings.Repeat(image("image/png", "a")+",", mostFiles) + image("image/png", "b") + "]"
	text, kept, _, err := filesOf(dir, value)
	entries, _ := os.ReadDir(dir)
	handle := fmt.Sprintf("run_1#/%d", mostFiles)
	if err == nil || !strings.Contains(err.Error(), "1 of 1001 files of the value were not written to out: at most 1000 files") || !strings.Contains(err.Error(), handle) {
		t.Errorf("error %v", err)
	}
	if len(entries) != mostFiles || string(kept) != value || !strings.HasSuffix(text, `"handle":"`+handle+`"}]`) {
		t.Errorf("%d files, %d bytes kept, …%s", len(entries), len(kept), text[len(text)-100:])
	}
	f := folder{bytes: mostFileBytes - 1, next: map[string]int{}}
	if f.at, err = os.OpenRoot(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.at.Close() }()
	if name := f.write(blob{kind: "image", data: "YWI=", size: 2}); name != "" || !strings.Contains(f.failure.Error(), "64 MB") {
		t.Errorf("wrote %q beyond the bound of bytes: %v", name, f.failure)
	}
	if name := f.write(blob{kind: "image", data: "YQ==", size: 1}); name != "image-1.bin" {
		t.Errorf("a file that fits is %q", name)
	}
}

// TestFilesWithoutFolder: if the folder was removed while the script ran, the value is kept.
func TestFilesWithoutFolder(t *testing.T) {
	value := image("image/png", "a")
	text, kept, _, err := filesOf(filepath.Join(t.TempDir(), "gone"), value)
	if err == nil || !strings.Contains(err.Error(), "1 of 1 files") || string(kept) != value || !strings.Contains(text, `"handle":"run_1#"`) {
		t.Errorf("%s, kept %q, %v", text, kept, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := MakeDir(filepath.Join(file, "below")); err == nil || !strings.Contains(err.Error(), "nothing was run") {
		t.Errorf("a folder below a file: %v", err)
	}
}

// FuzzFiles: the printed value is valid JSON, and all files are directly in the folder.
func FuzzFiles(f *testing.F) {
	f.Add(`[{"type":"image","mimeType":"image/png","data":"YQ=="}]`)
	f.Add(`{"a/~":{"type":"resource","resource":{"uri":"..","mimeType":"/","text":"\ud800"}}}`)
	f.Add(`{"type":"audio","data":"!"}`)
	f.Fuzz(func(t *testing.T, value string) {
		if !json.Valid([]byte(value)) || strings.TrimSpace(value) != value || len(value) > 4096 {
			return
		}
		above := t.TempDir()
		dir := filepath.Join(above, "out")
		if err := MakeDir(dir); err != nil {
			t.Fatal(err)
		}
		text, _, _, err := filesOf(dir, value)
		if err != nil || !json.Valid([]byte(text)) {
			t.Fatalf("%q becomes %q: %v", value, text, err)
		}
		if entries, _ := os.ReadDir(above); len(entries) != 1 {
			t.Fatalf("%q makes %v", value, entries)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != strings.Count(text, `"path":"out`+string(filepath.Separator)) && !strings.Contains(value, "path") {
			t.Fatalf("%q makes %d files: %s", value, len(entries), text)
		}
	})
}
