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
	"strings"
	"time"
)

// installTime bounds the download of 38 MB.
const installTime = 10 * time.Minute

// Install installs Deno into folder with npm, from the registry that .npmrc or
// NPM_CONFIG_REGISTRY names, and returns the path of the program. This program pins the
// version and the hash of the content. env is the environment of npm. After an error, folder
// is unchanged.
func Install(ctx context.Context, folder string, env []string) (string, error) {
	wanted, err := packageFor(platform(), onDisk)
	if err != nil {
		return "", err
	}
	return install(ctx, folder, env, wanted)
}

func install(ctx context.Context, folder string, env []string, wanted npmPackage) (_ string, err error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", errors.New("npm, which installs Deno, is not in PATH: install npm and run toolscript deno install again, or " + otherwise)
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
		_ = os.RemoveAll(stage) // remaining files are removed with the data folder
		if err != nil {
			_ = os.Remove(parent) // only if it is empty
		}
	}()
	if err := writeManifest(stage, wanted); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	// Install scripts of packages are not needed: they would only link the program.
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier") //nolint:gosec // npm from PATH
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = stage, env, &said, &said
	if err := cmd.Run(); err != nil {
		words := strings.TrimSpace(said.String())
		if strings.Contains(words, "EINTEGRITY") {
			return "", fmt.Errorf("the content of %s %s in the registry differs from the content that this version of toolscript pins; nothing was installed:\n%s", wanted.name, wanted.version, words)
		}
		return "", fmt.Errorf("npm did not install Deno (npm ci: %w); correct the reported error and run toolscript deno install again, or %s:\n%s", err, otherwise, words)
	}
	return place(ctx, filepath.Join(stage, "node_modules", filepath.FromSlash(wanted.name), executableName), wanted.version, folder)
}

// writeManifest writes the input of npm ci. The lock file names no registry, so that npm uses
// the registry of the user. It contains the hash of the content, so that the registry cannot
// serve other content.
func writeManifest(stage string, p npmPackage) error {
	manifest := map[string]any{"name": "toolscript-deno", "private": true, "dependencies": map[string]string{p.name: p.version}}
	lock := map[string]any{
		"name": "toolscript-deno", "lockfileVersion": 3,
		"packages": map[string]any{
			"":                       map[string]any{"name": "toolscript-deno", "dependencies": map[string]string{p.name: p.version}},
			"node_modules/" + p.name: map[string]string{"version": p.version, "integrity": p.integrity},
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

// place checks that program works and has the pinned version, and moves it into folder, where Find looks.
func place(ctx context.Context, program, wanted, folder string) (string, error) {
	_, _, version, err := versionOf(ctx, program)
	switch {
	case err != nil:
		return "", fmt.Errorf("the Deno that npm installed does not run here: %w; %s", err, otherwise)
	case version != wanted:
		return "", errors.New("npm installed Deno " + version + ", not " + wanted)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(folder, executableName)
	return path, os.Rename(program, path)
}
