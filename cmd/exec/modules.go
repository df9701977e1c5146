package exec

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
)

// imports matches the imports of files in a script. It also matches texts and comments that
// look like imports: a file that is sent but not imported has no effect.
var imports = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\\b(?:from|import)\\s*\\(?\\s*[\"'`](\\.{1,2}/[^\"'`\\\\\r\n]{1,300})[\"'`]")
})

// maxModule is the maximum length of a module. It equals the limit of a source in the checker.
const maxModule = 1 << 20

// Modules reads the files that a script imports, directly or indirectly, from the folder of the
// script and the folders below it. The module of an unreadable file has the reason in Problem.
func Modules(script, code string) []toolscript.ScriptModule {
	if !imports().MatchString(code) {
		return nil
	}
	root, err := os.OpenRoot(filepath.Dir(script))
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // it was only read
	found := &modules{root: root, known: map[string]bool{filepath.Base(script): true}}
	found.of(".", code)
	for i := 0; i < len(found.all); i++ {
		found.of(path.Dir(found.all[i].Path), found.all[i].Code)
	}
	return found.all
}

// modules collects the imported files.
type modules struct {
	root  *os.Root
	known map[string]bool
	all   []toolscript.ScriptModule
}

// of reads the files that a text in a folder imports.
func (m *modules) of(folder, code string) {
	for _, match := range imports().FindAllStringSubmatch(code, -1) {
		name := path.Join(folder, match[1])
		if m.known[name] || !toolscript.IsModulePath(name) || len(m.all) == toolscript.MostModules {
			continue
		}
		m.known[name] = true
		module := toolscript.ScriptModule{Path: name}
		if text, err := m.read(name); err == nil {
			module.Code = text
		} else {
			module.Problem = err.Error()
		}
		m.all = append(m.all, module)
	}
}

var (
	errNoFile    = errors.New("there is no such file")
	errIsFolder  = errors.New("it is a folder; name a file in it")
	errNoRegular = errors.New("it is not a regular file")
	errOutside   = errors.New("it is a link to a place outside of the folder of the script")
	errTooLong   = errors.New("it has more than 1 MB")
	errDevice    = errors.New("on Windows, it is a device")
)

// read reads a file in the root. os.Root refuses links that lead out of it.
func (m *modules) read(name string) (string, error) {
	info, err := m.root.Stat(name)
	switch {
	case !filepath.IsLocal(name):
		return "", errDevice
	case errors.Is(err, fs.ErrNotExist):
		return "", m.missing(name)
	case err != nil && strings.Contains(err.Error(), "escapes"):
		return "", errOutside
	case err != nil:
		return "", reason(err)
	case info.IsDir():
		return "", errIsFolder
	case !info.Mode().IsRegular(): // reading a pipe could block forever
		return "", errNoRegular
	case info.Size() > maxModule:
		return "", errTooLong
	}
	f, err := m.root.Open(name)
	if err != nil {
		return "", reason(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxModule+1))
	switch {
	case err != nil:
		return "", reason(err)
	case len(text) > maxModule:
		return "", errTooLong
	}
	return string(text), readable(text, "it")
}

// missing returns the error for a file that does not exist. It suggests lib.ts for
// "./lib.js", which compilers of other environments resolve.
func (m *modules) missing(name string) error {
	extension := path.Ext(name)
	typed := strings.TrimSuffix(name, extension) + strings.Replace(extension, "js", "ts", 1)
	if info, err := m.root.Stat(typed); typed != name && err == nil && info.Mode().IsRegular() {
		return errors.New("there is no such file; import " + path.Base(typed))
	}
	return errNoFile
}

// reason returns the error without the path.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return cmp.Or(at.Err, err)
	}
	return err
}
