package confined

import (
	"bufio"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/internal/files"
)

// Devices returns the files in /dev that every program may write to.
func Devices() []string { return []string{"/dev/null", "/dev/zero", "/dev/full"} }

// RuntimePaths returns the paths that a program needs to start: paths of the system, the
// installations of the program and of its interpreter, and the script in its first argument. path
// is absolute; args are the arguments after the name. If a link leads out of the folder of the
// project, the result contains its target only if that is a program.
func RuntimePaths(project files.Folder, path string, args []string, dir string, lookPath func(name string) (string, error)) []string {
	paths := append([]string(nil), systemPaths...)
	add := func(more ...string) {
		for _, p := range more {
			if !slices.Contains(paths, p) {
				paths = append(paths, p)
			}
		}
	}
	for program := range programs(path, lookPath) {
		if program == path || isProgram(program) {
			add(installation(program)...)
		}
	}
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		if !filepath.IsAbs(a) {
			a = filepath.Join(dir, a)
		}
		if info, err := os.Stat(a); err == nil && info.Mode().IsRegular() {
			if real, err := filepath.EvalSymlinks(a); err == nil && (!project.Has(a) || project.Has(real)) {
				add(installation(real)...)
			}
			add(installation(a)...)
		}
		break // only a script is part of the program; other arguments are its data
	}
	return paths
}

// Interpreter returns the paths that an interpreter needs if a package manager has found it: its
// folders, and the folders of the targets of its links. It does not return the package that contains
// the interpreter.
func Interpreter(path string, lookPath func(name string) (string, error)) (paths []string) {
	for program := range programs(path, lookPath) {
		if isProgram(program) {
			paths = append(paths, prefix(program)...)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// programs returns the path of a program and the paths of its interpreters, each with the target of
// its links. The first line of the program, or its virtual environment, names the interpreters.
func programs(path string, lookPath func(string) (string, error)) map[string]bool {
	found := map[string]bool{}
	add := func(path string) {
		found[path] = true
		if real, err := filepath.EvalSymlinks(path); err == nil {
			found[real] = true
		}
	}
	for range 4 {
		add(path)
		for _, program := range slices.Collect(maps.Keys(found)) {
			if folder := filepath.Dir(program); exists(filepath.Join(filepath.Dir(folder), "pyvenv.cfg")) {
				add(filepath.Join(folder, "python")) // if the path is long, the first line of the program names a shell instead
			}
		}
		words := strings.Fields(firstLine(path))
		if len(words) > 1 && filepath.Base(words[0]) == "env" {
			words = words[1:]
			for len(words) > 1 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
				words = words[1:]
			}
		}
		if len(words) == 0 {
			break
		}
		next, err := lookPath(words[0])
		if err != nil {
			break
		}
		path = next
	}
	return found
}

// isProgram reports whether the kernel can start a file.
func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// firstLine returns the text after #! in a script, or "" for other files.
func firstLine(path string) string {
	f, err := os.Open(path) //nolint:gosec // G304: the program of the user's configuration
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // only read
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	text, isScript := strings.CutPrefix(string(line), "#!")
	if !isScript {
		return ""
	}
	return strings.TrimSpace(text)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// prefix returns the folders that a program needs besides its own folder: the folders next to its bin folder,
// such as lib. A shim of pyenv or mise starts a program of one of the installed versions, so for a shim prefix
// returns the whole folder of the version manager. It returns nil if there are none.
func prefix(program string) []string {
	folder := filepath.Dir(program)
	top := filepath.Dir(folder)
	switch filepath.Base(folder) {
	case "bin", "Scripts":
		return []string{folder, filepath.Join(top, "lib"), filepath.Join(top, "lib64"), filepath.Join(top, "libexec"), filepath.Join(top, "include"), filepath.Join(top, "pyvenv.cfg")}
	case "shims":
		home, _ := os.UserHomeDir()
		if top != home && (exists(filepath.Join(top, "versions")) || exists(filepath.Join(top, "installs"))) {
			return []string{top}
		}
	}
	return nil
}

// installation returns the folders in which a program is installed: the outermost node_modules, the
// package that contains the file, the folders next to bin, or otherwise the folder of the file. It
// never returns the home folder or the root.
func installation(file string) []string {
	folder := filepath.Dir(file)
	parts := strings.Split(file, string(filepath.Separator))
	if i := slices.Index(parts, "node_modules"); i > 0 {
		return []string{strings.Join(parts[:i+1], string(filepath.Separator))}
	}
	home, _ := os.UserHomeDir()
	for at := folder; at != filepath.Dir(at) && at != home; at = filepath.Dir(at) {
		for _, mark := range []string{"package.json", "pyproject.toml", "setup.py", "deno.json"} {
			if exists(filepath.Join(at, mark)) {
				return []string{at}
			}
		}
	}
	if paths := prefix(file); paths != nil {
		return paths
	}
	if folder == home || folder == filepath.Dir(folder) {
		return []string{file}
	}
	if info, err := os.Stat(file); err == nil && info.Mode()&0o111 != 0 && firstLine(file) == "" {
		return []string{file} // a program of one file
	}
	return []string{folder}
}
