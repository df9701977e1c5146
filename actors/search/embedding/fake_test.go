//go:build linux

package embedding_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/actors/search/embedding"
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
var fakes = map[string]func(embedding.Request){
	"dies":          func(embedding.Request) { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) },
	"garbage":       func(embedding.Request) { _, _ = os.Stdout.WriteString("llama_init: hello\n") },
	"huge":          func(embedding.Request) { _, _ = os.Stdout.Write(binary.BigEndian.AppendUint32(nil, 1<<31)) },
	"half":          func(embedding.Request) { _, _ = os.Stdout.Write([]byte{0, 0, 0, 9, '{'}); os.Exit(3) },
	"no-json":       func(embedding.Request) { _, _ = os.Stdout.Write([]byte{0, 0, 0, 1, '{'}) },
	"zero":          func(embedding.Request) { say(embedding.Answer{Vector: []float32{0, 0}}) },
	"long":          func(embedding.Request) { say(embedding.Answer{Vector: []float32{1, 2, 3}}) },
	"none":          func(embedding.Request) { say(embedding.Answer{}) },
	"refuses":       func(embedding.Request) { say(embedding.Answer{Error: "no such token"}) },
	"well":          func(embedding.Request) { say(embedding.Answer{Vector: []float32{3, 4}}) },
	"bge-small-en":  tell, // the length of the text
	"all-MiniLM-L6": tell,
}

func tell(r embedding.Request) {
	say(embedding.Answer{Vector: []float32{float32(len(r.Text)), 1}})
}

func say(frame any) {
	if embedding.WriteFrame(os.Stdout, frame) != nil {
		os.Exit(1)
	}
}

func misbehave(model string) {
	name := strings.TrimSuffix(filepath.Base(model), ".gguf")
	switch name {
	case "panics":
		panic("Library 'libllama_go.so' not found")
	case "no-dimension":
		say(embedding.Hello{})
	case "silent":
		select {}
	default:
		say(embedding.Hello{Dim: 2})
	}
	for {
		var r embedding.Request
		if embedding.ReadFrame(os.Stdin, &r) != nil {
			os.Exit(0)
		}
		fakes[name](r)
	}
}

// fake returns the options for a fake program with the named behaviour.
func fake(t *testing.T, name string) embedding.LlamaOptions {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := embedding.LlamaOptions{Program: self, Library: dir, Model: filepath.Join(dir, name+".gguf")}
	write(t, o.Model, "GGUF"+name)
	write(t, filepath.Join(dir, embedding.LibraryName), "\x7fELF"+strings.Repeat(".", 8<<10))
	return o
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
