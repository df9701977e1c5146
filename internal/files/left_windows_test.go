package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/test/kit"
)

// TestReplacedWhileItIsRead writes a file while it is open, which Windows refuses. The write waits for the reader.
func TestReplacedWhileItIsRead(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	if err := files.Write(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- files.Write(path, []byte("new")) }()
	kit.Eventually(t, "the new file is beside the old one", func() bool {
		entries, err := os.ReadDir(folder)
		return err == nil && len(entries) == 2
	})
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
	if err := kit.Receive(t, written); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "new" {
		t.Errorf("the file has %q, %v", text, err)
	}
}
