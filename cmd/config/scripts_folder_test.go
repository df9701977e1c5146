package config_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
)

// TestLinkedScriptsFolder: a project cannot redirect its saved scripts to the folder of the
// user, whose scripts need no trust.
func TestLinkedScriptsFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
	for _, linked := range []string{".toolscript", filepath.Join(".toolscript", "scripts")} {
		t.Run(linked, func(t *testing.T) {
			user, project := t.TempDir(), t.TempDir()
			if err := os.MkdirAll(filepath.Join(user, "scripts"), 0o700); err != nil {
				t.Fatal(err)
			}
			link := filepath.Join(project, linked)
			if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
				t.Fatal(err)
			}
			target := user
			if filepath.Base(linked) == "scripts" {
				target = filepath.Join(user, "scripts")
			}
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
			file := config.File{Path: filepath.Join(project, ".toolscript.json"), Project: true}
			path := filepath.Join(config.ScriptsDir(file), "report.ts")
			err := config.WriteScript(config.SavedScript{SavedScript: toolscript.SavedScript{Name: "report", Path: path, Code: "return 1"}, File: file}, true)
			if err == nil || !strings.Contains(err.Error(), "a link is not followed") {
				t.Errorf("WriteScript: %v", err)
			}
			if entries, err := os.ReadDir(filepath.Join(user, "scripts")); err != nil || len(entries) != 0 {
				t.Errorf("the folder of the user: %v, %v", entries, err)
			}
		})
	}
}
