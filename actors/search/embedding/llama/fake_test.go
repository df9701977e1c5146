//go:build linux

package llama_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/actors/search/embedding/llama"
)

// leftovers are folders that TestMain removes.
var leftovers []string

// TestMain doubles as a fake toolscript-llama when its only argument is a model file.
// The content of the file selects the behaviour.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && strings.HasSuffix(os.Args[1], ".gguf") {
		misbehave(os.Args[1])
		return
	}
	code := m.Run()
	for _, dir := range leftovers {
		_ = os.RemoveAll(dir) // a temporary folder
	}
	os.Exit(code)
}

// fakes are the behaviours after a Hello of two values. Each is called with a
// request.
var fakes = map[string]func(llama.Request){
	"dies":          func(llama.Request) { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) },
	"garbage":       func(llama.Request) { _, _ = os.Stdout.WriteString("llama_init: hello\n") },
	"huge":          func(llama.Request) { _, _ = os.Stdout.Write(binary.BigEndian.AppendUint32(nil, 1<<31)) },
	"half":          func(llama.Request) { _, _ = os.Stdout.Write([]byte{0, 0, 0, 9, '{'}); os.Exit(3) },
	"no-json":       func(llama.Request) { _, _ = os.Stdout.Write([]byte{0, 0, 0, 1, '{'}) },
	"zero":          func(llama.Request) { say(llama.Answer{Vector: []float32{0, 0}}) },
	"long":          func(llama.Request) { say(llama.Answer{Vector: []float32{1, 2, 3}}) },
	"none":          func(llama.Request) { say(llama.Answer{}) },
	"refuses":       func(llama.Request) { say(llama.Answer{Error: "no such token"}) },
	"well":          func(llama.Request) { say(llama.Answer{Vector: []float32{3, 4}}) },
	"bge-small-en":  tell, // the length of the text
	"all-MiniLM-L6": tell,
}

func tell(r llama.Request) {
	say(llama.Answer{Vector: []float32{float32(len(r.Text)), 1}})
}

func say(frame any) {
	if llama.WriteFrame(os.Stdout, frame) != nil {
		os.Exit(1)
	}
}

func misbehave(model string) {
	name := strings.TrimSuffix(filepath.Base(model), ".gguf")
	switch name {
	case "panics":
		panic("Library 'libllama_go.so' not found")
	case "no-dimension":
		say(llama.Hello{})
	case "silent":
		select {}
	default:
		say(llama.Hello{Dim: 2})
	}
	for {
		var r llama.Request
		if llama.ReadFrame(os.Stdin, &r) != nil {
			os.Exit(0)
		}
		fakes[name](r)
	}
}

// fake returns the options for a fake program with the named behaviour.
func fake(t *testing.T, name string) llama.Options {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := llama.Options{Program: self, Library: dir, Model: filepath.Join(dir, name+".gguf")}
	write(t, o.Model, "GGUF"+name)
	write(t, filepath.Join(dir, llama.LibraryName), "\x7fELF"+strings.Repeat(".", 8<<10))
	return o
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
