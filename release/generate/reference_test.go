package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/reference, the schema of the configuration and the table of types")

const pages = "../../docs/reference"

// TestReference compares docs/reference with the commands.
func TestReference(t *testing.T) {
	if *update {
		if err := os.RemoveAll(pages); err != nil {
			t.Fatal(err)
		}
		if err := writeMarkdown(pages); err != nil {
			t.Fatal(err)
		}
	}
	made := t.TempDir()
	if err := writeMarkdown(made); err != nil {
		t.Fatal(err)
	}
	want, got := referenceFiles(t, made), referenceFiles(t, pages)
	if len(want) < 30 {
		t.Errorf("%d pages, want one for each command", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/reference is not that of the commands (-commands +docs); write it with: go test ./release/generate -update\n%s", diff)
	}
}

// TestMan writes a manual page for each command.
func TestMan(t *testing.T) {
	folder := t.TempDir()
	if err := writeMan(folder); err != nil {
		t.Fatal(err)
	}
	made := referenceFiles(t, folder)
	if len(made) != len(referenceFiles(t, pages)) {
		t.Errorf("%d manual pages", len(made))
	}
	for _, hidden := range []string{"toolscript-hook.1", "toolscript-mcp-demo.1"} {
		if _, ok := made[hidden]; ok {
			t.Errorf("a hidden command has the page %s", hidden)
		}
	}
	for _, part := range []string{`.TH "TOOLSCRIPT-EXEC" "1"`, ".SH OPTIONS", "--tool-calls"} {
		if !strings.Contains(made["toolscript-exec.1"], part) {
			t.Errorf("the page of exec lacks %q", part)
		}
	}
}

func referenceFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}
