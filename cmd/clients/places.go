package clients

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/toolscript/toolscript/cmd/config"
)

// Places says where the files of clients are.
type Places struct {
	Home    string                           // home folder of the user
	Project string                           // root of the project; "" outside of a project
	System  string                           // GOOS
	Lookup  func(name string) (string, bool) // looks up a variable of the environment
}

func (p Places) env(name string) string {
	value, _ := p.Lookup(name)
	return value
}

// user returns a file below the home folder.
func (p Places) user(path string, keys ...string) File {
	return File{Path: filepath.Join(p.Home, filepath.FromSlash(path)), Root: p.Home, keys: keys}
}

// project returns a file of the project.
func (p Places) project(path string, keys ...string) File {
	return File{Path: filepath.Join(p.Project, filepath.FromSlash(path)), Root: p.Project, Project: true, keys: keys}
}

// settings returns a file in the folder in which the system keeps the settings of desktop
// programs.
func (p Places) settings(path string, keys ...string) File {
	switch p.System {
	case "darwin":
		return p.below(filepath.Join(p.Home, "Library", "Application Support"), path, keys...)
	case "windows":
		return p.below(p.named("APPDATA", "AppData/Roaming"), path, keys...)
	}
	return p.config(path, keys...)
}

// named returns the folder that a variable names, else one below the home folder.
func (p Places) named(variable, path string) string {
	if own := p.env(variable); filepath.IsAbs(own) {
		return own
	}
	return filepath.Join(p.Home, filepath.FromSlash(path))
}

// config returns a file in ~/.config, which some programs use on all systems.
func (p Places) config(path string, keys ...string) File {
	return p.below(p.named("XDG_CONFIG_HOME", ".config"), path, keys...)
}

// configOrSettings returns a file of config, or on Windows another one of settings.
func (p Places) configOrSettings(config, settings string, keys ...string) File {
	if p.System == "windows" {
		return p.settings(settings, keys...)
	}
	return p.config(config, keys...)
}

// firstExisting returns files of which a client writes to the first that exists.
func firstExisting(files ...File) []File {
	at := max(0, slices.IndexFunc(files, func(f File) bool { return exists(f.Path) }))
	files[at].connect = true
	return files
}

// below returns a file of the user in a folder, which may be outside of the home folder.
func (p Places) below(folder, path string, keys ...string) File {
	root := p.Home
	if !inside(root, folder) {
		root = folder
	}
	return File{Path: filepath.Join(folder, filepath.FromSlash(path)), Root: root, keys: keys}
}

func inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// FindPlaces returns the places of this user for a working folder, which is absolute.
// lookup looks up variables of the environment.
func FindPlaces(dir string, lookup func(string) (string, bool)) (Places, error) {
	variable := "HOME"
	if runtime.GOOS == "windows" {
		variable = "USERPROFILE"
	}
	home, _ := lookup(variable)
	if !filepath.IsAbs(home) {
		return Places{}, fmt.Errorf("the home folder is unknown: %s is not an absolute path", variable)
	}
	home = resolvedPath(home)
	return Places{Home: home, Project: config.ProjectRoot(resolvedPath(dir), home), System: runtime.GOOS, Lookup: lookup}, nil
}

func resolvedPath(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

// Targets returns the files of toolscript to which servers are written.
func (p Places) Targets(o config.Options) (Targets, error) {
	files, err := config.Locate(o)
	if err != nil {
		return Targets{}, err
	}
	if len(files) > 0 && files[0].Named {
		if len(files) > 1 {
			return Targets{}, errors.New("--config or TOOLSCRIPT_CONFIG names several files; name the one to write to")
		}
		return Targets{User: File{Path: files[0].Path, Root: filepath.Dir(files[0].Path)}}, nil
	}
	t := Targets{User: File{Path: filepath.Join(p.Home, config.FileName), Root: p.Home}}
	if p.Project != "" {
		t.Project = File{Path: filepath.Join(p.Project, config.FileName), Root: p.Project, Project: true}
	}
	return t, nil
}
