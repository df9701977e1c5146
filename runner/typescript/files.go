package shim

import (
	"strings"
	"time"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/diagnostics"
	"github.com/microsoft/typescript-go/internal/parser"
	"github.com/microsoft/typescript-go/internal/tsoptions"
	"github.com/microsoft/typescript-go/internal/tspath"
	"github.com/microsoft/typescript-go/internal/vfs"
)

// files is a file system in memory. It also keeps the parsed form of texts that several
// checks use.
type files struct {
	texts  map[string]string
	parsed map[string]*ast.SourceFile
}

func newFiles() *files {
	return &files{texts: map[string]string{}, parsed: map[string]*ast.SourceFile{}}
}

func (f *files) write(path, text string) {
	f.texts[path] = text
	delete(f.parsed, path)
}

func (f *files) remove(path string) {
	delete(f.texts, path)
	delete(f.parsed, path)
}

// place makes a module the file at path. It reuses the parsed form of the module, if there is one.
func (f *files) place(path string, m *module) {
	f.write(path, m.text)
	if m.parsed != nil {
		f.parsed[path] = m.parsed
	}
}

// The methods of vfs.FS that read.

func (f *files) UseCaseSensitiveFileNames() bool         { return true }
func (f *files) FileExists(path string) bool             { _, ok := f.texts[path]; return ok }
func (f *files) ReadFile(path string) (string, bool)     { text, ok := f.texts[path]; return text, ok }
func (f *files) DirectoryExists(path string) bool        { return f.hasFolder(path) }
func (f *files) GetAccessibleEntries(string) vfs.Entries { return vfs.Entries{} }
func (f *files) Stat(string) vfs.FileInfo                { return nil }
func (f *files) WalkDir(string, vfs.WalkDirFunc) error   { return nil }
func (f *files) Realpath(path string) string             { return path }

func (f *files) hasFolder(path string) bool {
	for file := range f.texts {
		if strings.HasPrefix(file, strings.TrimSuffix(path, "/")+"/") {
			return true
		}
	}
	return false
}

// The methods of vfs.FS that write. They write nothing.

func (f *files) WriteFile(string, string) error             { return vfs.ErrPermission }
func (f *files) AppendFile(string, string) error            { return vfs.ErrPermission }
func (f *files) Remove(string) error                        { return vfs.ErrPermission }
func (f *files) Chtimes(string, time.Time, time.Time) error { return vfs.ErrPermission }

// host serves files to the compiler. It keeps the parsed form of all files except the script.
type host struct{ files *files }

func (h host) FS() vfs.FS                         { return h.files }
func (h host) DefaultLibraryPath() string         { return libraryFolder }
func (h host) GetCurrentDirectory() string        { return root }
func (h host) Trace(*diagnostics.Message, ...any) {}

func (h host) GetResolvedProjectReference(string, tspath.Path) *tsoptions.ParsedCommandLine {
	return nil
}

func (h host) GetSourceFile(o ast.SourceFileParseOptions) *ast.SourceFile {
	if f := h.files.parsed[o.FileName]; f != nil {
		return f
	}
	text, ok := h.files.ReadFile(o.FileName)
	if !ok {
		return nil
	}
	f := parser.ParseSourceFile(o, text, core.GetScriptKindFromFileName(o.FileName))
	if o.FileName != mainFile {
		h.files.parsed[o.FileName] = f
	}
	return f
}
