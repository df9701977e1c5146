package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// Locate returns the configuration files in the order of their effect: the files of
// --config, else of TOOLSCRIPT_CONFIG, else the user's file and the project's file. The
// project's file is listed only if it exists.
func Locate(o Options) ([]File, error) {
	if list := cmp.Or(o.Config, o.env("TOOLSCRIPT_CONFIG")); list != "" {
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
	if path, ok := projectFile(resolved(work), home); ok && !o.NoProject {
		files = append(files, File{Path: path, Project: true})
	}
	return files, nil
}

func (o Options) named(list string) ([]File, error) {
	var files []File
	for parts := strings.Split(list, ","); len(parts) > 0; {
		path, count, err := o.first(parts)
		if err != nil {
			return nil, err
		}
		parts = parts[count:]
		if path == "" {
			continue
		}
		f := File{Path: canonical(path), Named: true}
		if !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files, nil
}

// first returns the first path of a list that was split at its commas, and the number of
// parts that the path consists of: the longest join that names an existing file, else the
// shortest that names a file in an existing folder whose path has a comma, else one part.
func (o Options) first(parts []string) (path string, count int, err error) {
	if strings.TrimSpace(parts[0]) == "" {
		return "", 1, nil
	}
	for n := min(len(parts), mostCommas+1); n > 1; n-- {
		joined := strings.TrimSpace(strings.Join(parts[:n], ","))
		longer, err := o.absolute(joined)
		if err != nil {
			continue
		}
		if exists(longer) {
			return longer, n, nil
		}
		if strings.Contains(filepath.Dir(joined), ",") && exists(filepath.Dir(longer)) {
			path, count = longer, n
		}
	}
	if count > 0 {
		return path, count, nil
	}
	path, err = o.absolute(strings.TrimSpace(parts[0]))
	return path, 1, err
}

// mostCommas is the maximum number of commas in one path.
const mostCommas = 20

// DataDir returns the absolute path of the data folder, which need not exist: --data-dir,
// else TOOLSCRIPT_DATA_DIR, else that of dataFolder.
func DataDir(o Options) (string, error) {
	return o.absolute(cmp.Or(o.DataDir, o.env("TOOLSCRIPT_DATA_DIR"), o.dataFolder()))
}

// projectFile returns the file in the root of the project that a folder belongs to.
func projectFile(dir, home string) (string, bool) {
	root := ProjectRoot(dir, home)
	path := filepath.Join(root, FileName)
	return path, root != "" && exists(path)
}

// ProjectRoot returns the root of the project that a folder belongs to: the nearest folder upward with a
// configuration file or a repository, else the folder itself. The home folder, whose file is the user's own, and
// the folders above it are not searched; ProjectRoot returns "" for the home folder.
func ProjectRoot(dir, home string) string {
	if dir == home {
		return ""
	}
	for at := dir; at != home; at = filepath.Dir(at) {
		if exists(filepath.Join(at, FileName)) || exists(filepath.Join(at, ".git")) {
			return at
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return dir
}

// exists reports whether a path exists. Broken links and unreadable files exist too:
// otherwise a search would go on to the parent folder.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// absolute expands ~ at the start of a path, and makes the path absolute.
func (o Options) absolute(path string) (string, error) {
	if problem := otherHome(path); problem != "" {
		return "", &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New(problem)}
	}
	if rest, ok := tilde(path); ok {
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
	return files.Absolute(work, path), nil
}

// home returns the user's home folder, or "" if it is unknown.
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

// canonical resolves links in the folder of a path, so that a file has the same name from
// every working directory. The last element is not resolved: a link to a file is identified
// by its own path. On Windows, each name has the case that it has in its folder.
func canonical(path string) string {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		return resolved(path)
	}
	return filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path))
}

func resolved(dir string) string {
	if path, err := filepath.EvalSymlinks(dir); err == nil {
		return path
	}
	return filepath.Clean(dir)
}
