package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// Locate names the configuration files in the order of their effect: those of
// --config, else those of TOOLSCRIPT_CONFIG, else the user's and the project's.
// The project's file is listed only when there is one, the others always.
func Locate(o Options) ([]File, error) {
	list := o.Config
	if list == "" {
		list = o.env("TOOLSCRIPT_CONFIG")
	}
	if list != "" {
		return o.named(list)
	}
	work, err := o.workDir()
	if err != nil {
		return nil, fmt.Errorf("working directory: %w", err)
	}
	var files []File
	home := o.home()
	if home != "" {
		files = append(files, File{Path: filepath.Join(home, FileName)})
	}
	if path, ok := projectFile(resolved(work), home); ok {
		files = append(files, File{Path: path, Project: true})
	}
	return files, nil
}

func (o Options) named(list string) ([]File, error) {
	var files []File
	for path := range strings.SplitSeq(list, ",") {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		path, err := o.absolute(path)
		if err != nil {
			return nil, err
		}
		f := File{Path: canonical(path), Named: true}
		if !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files, nil
}

// DataDir is the absolute path of the data folder, which may not exist:
// --data-dir, else TOOLSCRIPT_DATA_DIR, else ~/.toolscript.
func DataDir(o Options) (string, error) {
	path := o.DataDir
	if path == "" {
		path = o.env("TOOLSCRIPT_DATA_DIR")
	}
	if path == "" {
		path = "~/.toolscript"
	}
	return o.absolute(path)
}

// projectFile looks for the file from a folder upward, no further than the root
// of the repository. The home folder ends the search as well: its file is the
// user's.
func projectFile(dir, home string) (string, bool) {
	for dir != home {
		path := filepath.Join(dir, FileName)
		if exists(path) {
			return path, true
		}
		parent := filepath.Dir(dir)
		if parent == dir || exists(filepath.Join(dir, ".git")) {
			break
		}
		dir = parent
	}
	return "", false
}

// exists reports whether something is there, be it a link that leads nowhere or
// a file that may not be read: looking on above would hide it.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// absolute expands a leading ~/ and makes the path absolute.
func (o Options) absolute(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home := o.home()
		if home == "" {
			return "", &toolscript.Error{
				Kind: toolscript.Invalid,
				Err:  fmt.Errorf("cannot expand ~ in %s: %s is not set to an absolute path", path, homeVariable()),
			}
		}
		return filepath.Join(home, rest), nil
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	work, err := o.workDir()
	if err != nil {
		return "", fmt.Errorf("%s: working directory: %w", path, err)
	}
	return filepath.Join(work, path), nil
}

// home is the user's home folder, "" when nothing says where it is.
func (o Options) home() string {
	home := o.env(homeVariable())
	if !filepath.IsAbs(home) {
		return ""
	}
	return resolved(home)
}

func homeVariable() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// canonical resolves links in the folder of a path, so that one file has one
// name however the working directory was reached. The last element stays as it
// is: a linked file is known by where the link is.
func canonical(path string) string {
	return filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path))
}

func resolved(dir string) string {
	if path, err := filepath.EvalSymlinks(dir); err == nil {
		return path
	}
	return filepath.Clean(dir)
}
