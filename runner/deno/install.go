package deno

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Version is the Deno that Install brings, and that the tests run.
const Version = "2.9.6"

// installTime bounds the download of 38 MB.
const installTime = 10 * time.Minute

// npmPackage is a package, and what npm must find in it.
type npmPackage struct{ name, integrity string }

// packages are those that hold Deno for a system, by GOOS/GOARCH.
var packages = map[string]npmPackage{
	"linux/amd64": {"@deno/linux-x64-glibc", "sha512-3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ=="},
}

// Install puts Deno into folder, through npm: from the registry that the user's
// .npmrc or NPM_CONFIG_REGISTRY names, in the version and with the content that
// this program pins. env is npm's environment. It answers with the path. After an
// error nothing has changed.
func Install(ctx context.Context, folder string, env []string) (string, error) {
	target := runtime.GOOS + "/" + runtime.GOARCH
	wanted, known := packages[target]
	if !known {
		return "", fmt.Errorf("no Deno is pinned for %s: install Deno yourself, and put it into PATH or name it in %s", target, Variable)
	}
	return install(ctx, folder, env, wanted)
}

func install(ctx context.Context, folder string, env []string, wanted npmPackage) (_ string, err error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Errorf("npm is not in PATH, and brings Deno: install npm, or install Deno yourself and name it in %s", Variable)
	}
	parent := filepath.Dir(folder)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	stage, err := os.MkdirTemp(parent, "install-")
	if err != nil {
		return "", err
	}
	defer func() {
		_ = os.RemoveAll(stage) // what is left is removed with the data folder
		if err != nil {
			_ = os.Remove(parent) // if nothing else is in it
		}
	}()
	if err := writeManifest(stage, wanted.name, wanted.integrity); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	// No script of a package runs: they would only link the program elsewhere.
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier") //nolint:gosec // npm from PATH
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = stage, env, &said, &said
	if err := cmd.Run(); err != nil {
		words := strings.TrimSpace(said.String())
		if strings.Contains(words, "EINTEGRITY") {
			return "", fmt.Errorf("what the registry has as %s %s is not the content that this version of toolscript was tested with, so nothing was installed:\n%s", wanted.name, Version, words)
		}
		return "", fmt.Errorf("npm ci: %w\n%s", err, words)
	}
	return place(ctx, filepath.Join(stage, "node_modules", filepath.FromSlash(wanted.name), executableName), folder)
}

// writeManifest writes what npm ci installs. The lock names no registry, so that
// the user's own serves, and the content, so that it cannot serve another.
func writeManifest(stage, name, integrity string) error {
	manifest := map[string]any{"name": "toolscript-deno", "private": true, "dependencies": map[string]string{name: Version}}
	lock := map[string]any{
		"name": "toolscript-deno", "lockfileVersion": 3,
		"packages": map[string]any{
			"":                     map[string]any{"name": "toolscript-deno", "dependencies": map[string]string{name: Version}},
			"node_modules/" + name: map[string]string{"version": Version, "integrity": integrity},
		},
	}
	for file, content := range map[string]any{"package.json": manifest, "package-lock.json": lock} {
		text, err := json.Marshal(content)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(stage, file), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// place moves a program that works to where Find looks.
func place(ctx context.Context, program, folder string) (string, error) {
	_, _, version, err := versionOf(ctx, program)
	switch {
	case err != nil:
		return "", fmt.Errorf("what npm brought does not run: %w", err)
	case version != Version:
		return "", errors.New("what npm brought is Deno " + version + ", not " + Version)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(folder, executableName)
	return path, os.Rename(program, path)
}
