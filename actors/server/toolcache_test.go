package server_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

var (
	config      = upstream.Config{Type: upstream.Stdio, Command: "server", Env: map[string]string{"TOKEN": "secret"}}
	yes         = true
	cachedTools = []toolscript.Tool{{
		Server: "github", Name: "create_issue", Title: "Create", Description: "Creates an issue.",
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"n":{"maximum":12345678901234567890}}}`),
		OutputSchema: json.RawMessage(`{"type":"object"}`), Annotations: toolscript.Annotations{ReadOnly: &yes},
	}, {Server: "github", Name: "without_output", InputSchema: json.RawMessage(`{"type":"object"}`)}}
)

func folder(t *testing.T) server.ToolLists {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tools")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return server.ToolLists(dir)
}

func kept(t *testing.T) server.ToolLists {
	t.Helper()
	f := folder(t)
	if err := f.Keep("github", config, cachedTools); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestKeptToolsAreRecalled(t *testing.T) {
	if diff := cmp.Diff(cachedTools, kept(t).Recall("github", config)); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// TestAnotherConfigurationIsAnotherServer: two configurations differ even if only a secret differs.
func TestAnotherConfigurationIsAnotherServer(t *testing.T) {
	f := kept(t)
	other := config
	other.Env = map[string]string{"TOKEN": "another"}
	if got := f.Recall("github", other); got != nil {
		t.Errorf("with another token: %+v", got)
	}
	if last, ok := f.Last("github", other); !ok || !last.Older || len(last.Tools) != len(cachedTools) {
		t.Errorf("with another token: %+v, %t; want the older tools", last, ok)
	}
	if last, ok := f.Last("github", config); !ok || last.Older {
		t.Errorf("with the same token: %+v, %t", last, ok)
	}
	if got := f.Recall("gitlab", config); got != nil {
		t.Errorf("under another name: %+v", got)
	}
	elsewhere := config
	elsewhere.Source = "/another/.toolscript.json"
	if last, ok := f.Last("github", elsewhere); ok {
		t.Errorf("of another file: %+v", last)
	}
	later := config
	later.Timeout, later.ExcludeTools = 1, []string{"x"} // these fields do not identify the server
	if got := f.Recall("github", later); len(got) != len(cachedTools) {
		t.Errorf("with another time-out: %+v", got)
	}
}

// TestAnotherDefinitionIsAnotherServer: every field that defines the connection identifies the
// server, whatever its type.
func TestAnotherDefinitionIsAnotherServer(t *testing.T) {
	for name, edit := range map[string]func(*upstream.Config){
		"commands":   func(c *upstream.Config) { c.Commands = json.RawMessage(`{"a":{"run":["evil"]}}`) },
		"api":        func(c *upstream.Config) { c.API = json.RawMessage(`{"spec":"/evil.yaml"}`) },
		"confine":    func(c *upstream.Config) { c.Confine = &upstream.Confine{} },
		"inheritEnv": func(c *upstream.Config) { c.InheritNames = []string{"ACCOUNT"} },
		"oauth":      func(c *upstream.Config) { c.OAuth.ClientID = "other" },
		"secret":     func(c *upstream.Config) { c.OAuth.ClientSecret = "other" },
		"exec":       func(c *upstream.Config) { c.Settings.Exec.Network = true },
		"protocol":   func(c *upstream.Config) { c.Protocol = upstream.Stateless },
	} {
		other := config
		edit(&other)
		if got := kept(t).Recall("github", other); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestSince: a tool keeps the time of its first listing, even with another configuration.
func TestSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := kept(t)
		first := time.Now()
		time.Sleep(time.Hour)
		other := config
		other.Env = map[string]string{"TOKEN": "another"}
		more := append(slices.Clone(cachedTools), toolscript.Tool{Name: "newer"})
		if err := f.Keep("github", other, more); err != nil {
			t.Fatal(err)
		}
		last, _ := f.Last("github", other)
		if got := last.Since; !got["create_issue"].Equal(first) || !got["newer"].Equal(first.Add(time.Hour)) {
			t.Errorf("since %v, want %v and an hour later", got, first)
		}
	})
}

func TestDamagedFilesAreEmpty(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "cut": `{"format":2,"tools":[{`, "of another format": `{"format":0,"tools":[{"Name":"x"}]}`, "no object": "[]",
	} {
		t.Run(name, func(t *testing.T) {
			f := kept(t)
			files, err := filepath.Glob(filepath.Join(string(f), "*.json"))
			if err != nil || len(files) != 1 {
				t.Fatalf("files %q, %v", files, err)
			}
			if err := os.WriteFile(files[0], []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := f.Recall("github", config); got != nil {
				t.Errorf("recalled %+v", got)
			}
			if err := f.Keep("github", config, cachedTools); err != nil {
				t.Error(err)
			}
			if got := f.Recall("github", config); len(got) != len(cachedTools) {
				t.Errorf("after another Keep: %+v", got)
			}
		})
	}
}

func TestFolderWritableByOthersIsIgnored(t *testing.T) {
	f := kept(t)
	if err := os.Chmod(string(f), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := f.Recall("github", config); got != nil {
		t.Errorf("recalled %+v", got)
	}
}

func TestStoreWithoutAFolder(t *testing.T) {
	var f server.ToolLists
	if err := f.Keep("github", config, cachedTools); err != nil {
		t.Error(err)
	}
	if got := f.Recall("github", config); got != nil {
		t.Errorf("recalled %+v", got)
	}
}

// TestInstructions: instructions belong to a server with one configuration; a new list of tools keeps them.
func TestInstructions(t *testing.T) {
	f := server.ToolLists(t.TempDir())
	config := upstream.Config{Type: upstream.Stdio, Command: "a"}
	other := upstream.Config{Type: upstream.Stdio, Command: "b"}
	if err := errors.Join(
		f.KeepInstructions("s", config, "lost: there are no tools"), f.Keep("s", config, []toolscript.Tool{{Name: "x"}}),
		f.KeepInstructions("s", config, "Quote first."), f.Keep("s", config, []toolscript.Tool{{Name: "y"}}),
	); err != nil {
		t.Fatal(err)
	}
	if got, of := f.Instructions("s", config), f.Instructions("s", other); got != "Quote first." || of != "" || len(f.Recall("s", config)) != 1 {
		t.Errorf("Instructions = %q, and %q with another configuration", got, of)
	}
	if err := f.KeepInstructions("s", config, ""); err != nil || f.Instructions("s", config) != "" {
		t.Errorf("instructions that a server has no longer: %q, %v", f.Instructions("s", config), err)
	}
}
