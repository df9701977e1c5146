package hook

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/internal/files"
)

// PermissionProject describes the files that an agent may use without confirmation.
type PermissionProject struct {
	Root string // files inside of it may be used
	Dir  string // working folder of the shell
}

// Script reports whether a path is a script inside the project. Other kinds of files do not
// count, because diagnostics show lines of the file.
func (p PermissionProject) Script(path string) bool {
	real, ok := p.Inside(path)
	if !ok || !exec.HasExtension(real) {
		return false
	}
	info, err := os.Stat(real)
	return err == nil && info.Mode().IsRegular()
}

// Writable reports whether a call may write to a path. The path must be inside the project, must not
// contain a name that begins with a dot, because programs read their configuration there, and must not
// exist. A folder may exist: get-types writes to a folder, and replaces only its own files.
func (p PermissionProject) Writable(path string, folder bool) bool {
	real, ok := p.Inside(path)
	if !ok {
		return false
	}
	relative, err := filepath.Rel(p.root(), real)
	if err != nil {
		return false
	}
	for part := range strings.SplitSeq(filepath.ToSlash(relative), "/") {
		if strings.HasPrefix(part, ".") && part != "." {
			return false
		}
	}
	_, err = os.Lstat(real)
	return folder || os.IsNotExist(err)
}

// Inside resolves the links of a path and reports whether it is in the project. The path
// itself may not exist, but its folder must.
func (p PermissionProject) Inside(path string) (string, bool) {
	path = filepath.Clean(files.Absolute(p.Dir, path))
	real, err := filepath.EvalSymlinks(path)
	if os.IsNotExist(err) {
		if _, linked := os.Lstat(path); linked == nil { // a link without a target
			return "", false
		}
		if real, err = filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			real = filepath.Join(real, filepath.Base(path))
		}
	}
	root := p.root()
	if err != nil || root == "" {
		return "", false
	}
	relative, err := filepath.Rel(root, real)
	return real, err == nil && filepath.IsLocal(relative)
}

// root returns the project's path with links resolved, or "" if it does not exist.
func (p PermissionProject) root() string {
	real, err := filepath.EvalSymlinks(p.Root)
	if err != nil {
		return ""
	}
	return real
}
