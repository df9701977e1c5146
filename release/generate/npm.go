package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/toolscript/toolscript"
)

// platforms maps the folder of each program to the names that Node uses for the system and
// the processor.
var platforms = map[string]struct{ system, processor string }{
	"linux-amd64":   {"linux", "x64"},
	"linux-arm64":   {"linux", "arm64"},
	"darwin-amd64":  {"darwin", "x64"},
	"darwin-arm64":  {"darwin", "arm64"},
	"windows-amd64": {"win32", "x64"},
	"windows-arm64": {"win32", "arm64"},
}

// packed lists the files and folders of a package that npm pack does not include by itself.
var packed = []string{"bin", "NOTICE", "internal", "runner", "actors", "codegen", "transport"}

// manifest is a package.json.
type manifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Homepage     string            `json:"homepage"`
	Repository   repository        `json:"repository"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Unplugged    bool              `json:"preferUnplugged,omitempty"` // Yarn must not keep the program in a zip file
	Bin          map[string]string `json:"bin,omitempty"`
	Files        []string          `json:"files"`
	Engines      map[string]string `json:"engines,omitempty"`
	Dependencies map[string]string `json:"optionalDependencies,omitempty"`
}

type repository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

func newManifest(name, description string) manifest {
	const home = "https://github.com/toolscript/toolscript"
	return manifest{
		Name: name, Version: toolscript.Version, Description: description, License: "Apache-2.0", Homepage: home,
		Repository: repository{"git", "git+" + home + ".git"},
	}
}

// npm builds the npm packages of the program: one for each platform, and the one that users install.
func npm() error {
	programs := flag.String("programs", "dist/bin", "`folder` with the programs, one folder for each platform")
	to := flag.String("to", "dist/npm", "`folder` for the packages; it is replaced")
	source := flag.String("source", ".", "`folder` of the repository")
	flag.Parse()
	return build(*source, *programs, *to)
}

func build(source, programs, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	names := map[string]string{}
	for folder, p := range platforms {
		name := "@toolscript/" + p.system + "-" + p.processor
		names[name] = toolscript.Version
		m := newManifest(name, fmt.Sprintf("The program of toolscript for %s on %s", p.system, p.processor))
		m.OS, m.CPU, m.Unplugged, m.Files = []string{p.system}, []string{p.processor}, true, packed
		program := "toolscript"
		if p.system == "win32" {
			program += ".exe"
		}
		if err := packNPM(source, to, m, map[string]string{filepath.Join(programs, folder, program): "bin/" + program}); err != nil {
			return err
		}
	}
	m := newManifest("toolscript", "MCP code mode: run typed TypeScript against MCP servers")
	m.Bin, m.Files, m.Engines, m.Dependencies = map[string]string{"toolscript": "bin/toolscript.js"}, packed, map[string]string{"node": ">=18"}, names
	return packNPM(source, to, m, map[string]string{
		filepath.Join(source, "release/npm/toolscript.js"): "bin/toolscript.js",
		filepath.Join(source, "release/npm/README.md"):     "README.md",
	})
}

// packNPM writes a package and its tarball. files maps sources of executables to their paths.
func packNPM(source, to string, m manifest, files map[string]string) error {
	folder := filepath.Join(to, strings.NewReplacer("@", "", "/", "-").Replace(m.Name))
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // as npm installs it
		return err
	}
	err = os.WriteFile(filepath.Join(folder, "package.json"), append(text, '\n'), 0o644) //nolint:gosec // as npm installs it
	err = errors.Join(err, copyNotices(source, folder))
	for from, path := range files {
		err = errors.Join(err, copyFile(from, filepath.Join(folder, path), 0o755))
	}
	if err != nil {
		return err
	}
	npm := "npm"
	if runtime.GOOS == "windows" {
		npm = "npm.cmd"
	}
	cmd := exec.Command(npm, "pack", "--silent", "--pack-destination", "..") //nolint:noctx // the user interrupts it
	cmd.Dir, cmd.Stderr = folder, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("npm pack of %s: %w", m.Name, err)
	}
	fmt.Print(filepath.Join(to, string(out)))
	return nil
}

// copyNotices copies the licence, NOTICE and the licences of third-party work, to the paths
// that NOTICE names.
func copyNotices(source, folder string) error {
	notices := []string{"LICENSE", "NOTICE"}
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "dist" || entry.Name() == ".git"):
			return fs.SkipDir
		case !entry.IsDir() && filepath.Base(filepath.Dir(path)) == "licenses":
			relative, err := filepath.Rel(source, path)
			notices = append(notices, relative)
			return err
		}
		return nil
	})
	for _, name := range notices {
		err = errors.Join(err, copyFile(filepath.Join(source, name), filepath.Join(folder, name), 0o644))
	}
	return err
}

func copyFile(from, to string, mode os.FileMode) error {
	text, err := os.ReadFile(from) //nolint:gosec // the user names it
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // as npm installs it
		return err
	}
	return os.WriteFile(to, text, mode)
}
