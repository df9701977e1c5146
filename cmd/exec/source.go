package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/internal/texts"
)

// Script is a script with its arguments and its input.
type Script struct {
	Code  string
	File  string    // file name in diagnostics and stack traces
	Args  []string  // arguments for the script
	Stdin io.Reader // nil if the script itself was read from stdin

	Modules []toolscript.ScriptModule // files that the script imports
}

// CommandLine is a command line that names a script.
type CommandLine struct {
	Command string // name of the command for usage errors
	Dir     string // working directory
	Stdin   io.Reader

	Eval   string // value of -e, if HasEval
	File   string // value of -f
	Args   []string
	Dashed bool // a -- precedes the arguments of the script

	HasEval bool
}

// inlineName is the file name of code from the command line in diagnostics.
const inlineName = "script.ts"

// maxSource is the maximum number of bytes that are read, in case of a device file or a
// wrong path. The limit for scripts is lower; the gateway enforces it.
const maxSource = 64 << 20

// Extensions are the file name extensions of scripts.
var Extensions = []string{".ts", ".js", ".mts", ".mjs"}

// fileName matches words that can only be the name of a script.
var fileName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^\s"'()]+\.(?i:m?[jt]s)$`) })

// Find reads the script: -e CODE, -f FILE, else the first argument, which is code, a file
// or "-". All other arguments belong to the script. Mistakes of the user are returned as
// *app.UsageError.
func (l *CommandLine) Find(ctx context.Context) (Script, error) {
	args := l.Args
	switch {
	case l.HasEval && l.File != "":
		return Script{}, l.usage("give either -e CODE or -f FILE, not both")
	case l.HasEval:
		return l.inline(l.Eval, args)
	case l.File != "":
		return l.fromFile(ctx, l.File, args)
	case len(args) == 0:
		return Script{}, l.usage("missing argument: CODE, a script FILE.ts, or - to read the script from stdin")
	case args[0] == "-" || IsScript(l.Dir, args[0]):
		return l.fromFile(ctx, args[0], args[1:])
	case len(args) > 1 && !l.Dashed:
		return Script{}, l.usage("unexpected argument %q; arguments of the script go after --", args[1])
	default:
		if err := l.meantPath(args[0]); err != nil {
			return Script{}, err
		}
		return l.inline(args[0], args[1:])
	}
}

func (l *CommandLine) inline(code string, args []string) (Script, error) {
	if strings.TrimSpace(code) == "" {
		return Script{}, l.usage("the script is empty: give CODE, a script FILE.ts, or - to read the script from stdin")
	}
	return Script{Code: code, File: inlineName, Args: args, Stdin: l.Stdin}, readable([]byte(code), "the script")
}

func (l *CommandLine) usage(format string, args ...any) error {
	return app.Usage(l.Command, format, args...)
}

// fromFile reads the script from a file, or from stdin if the path is "-". Reading a
// terminal or a pipe may block forever, so fromFile returns when ctx ends.
func (l *CommandLine) fromFile(ctx context.Context, path string, args []string) (Script, error) {
	type result struct {
		Script
		err error
	}
	read := make(chan result, 1)
	go func() {
		src, err := l.readFile(path, args)
		read <- result{src, err}
	}()
	select {
	case r := <-read:
		return r.Script, r.err
	case <-ctx.Done():
		return Script{}, context.Cause(ctx)
	}
}

func (l *CommandLine) readFile(path string, args []string) (Script, error) {
	if path == "-" {
		code, err := readSource(l.Stdin, "stdin")
		return Script{Code: code, File: inlineName, Args: args}, err
	}
	f, err := os.Open(l.absolute(path))
	if errors.Is(err, fs.ErrNotExist) {
		return Script{}, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("file not found: %s", path)}
	}
	if err != nil {
		return Script{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return Script{}, l.folder(path)
	}
	code, err := readSource(f, path)
	if err != nil {
		return Script{}, err
	}
	return Script{Code: code, File: filepath.Base(path), Args: args, Stdin: l.Stdin, Modules: Modules(l.absolute(path), code)}, nil
}

func readSource(r io.Reader, name string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSource+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	if len(text) > maxSource {
		return "", fmt.Errorf("%s is larger than %d MB, the limit for scripts", name, maxSource>>20)
	}
	return string(text), readable(text, name)
}

// readable returns an error unless the text is UTF-8: encoding as JSON would silently
// replace other bytes, even in strings that are sent to tools.
func readable(text []byte, name string) error {
	if err := texts.CheckUTF8(text); err != nil {
		return &toolscript.Error{Kind: toolscript.Unsupported, Err: fmt.Errorf("%s is %w", name, err)}
	}
	return nil
}

// IsScript reports whether an argument names a script: a word that cannot be code, or an
// existing file with the extension of a script.
func IsScript(dir, arg string) bool {
	if fileName().MatchString(arg) {
		return true
	}
	return HasExtension(arg) && IsFile(dir, arg)
}

// HasExtension reports whether a path has one of the Extensions, in any case.
func HasExtension(path string) bool {
	return slices.Contains(Extensions, strings.ToLower(filepath.Ext(path)))
}

// meantPath returns an error for an argument that names a folder, or a file without the
// extension of a script. Only arguments with a separator, "." and ".." are checked: a
// single word is code, even if there is a file of that name.
func (l *CommandLine) meantPath(arg string) error {
	if !strings.ContainsRune(filepath.ToSlash(arg), '/') && arg != "." && arg != ".." || strings.ContainsRune(arg, 0) {
		return nil
	}
	info, err := os.Stat(l.absolute(arg))
	switch {
	case err == nil && info.IsDir():
		return l.folder(arg)
	case err == nil:
		return l.usage("%s has no extension of a script (%s); run it with -f %[1]s", arg, strings.Join(Extensions, ", "))
	}
	return nil
}

func (l *CommandLine) folder(path string) error {
	return l.usage("%s is a folder; name a script in it", path)
}

// IsFile reports whether a path, relative to dir, is an existing file.
func IsFile(dir, path string) bool {
	if strings.ContainsRune(path, 0) {
		return false
	}
	info, err := os.Stat(files.Absolute(dir, path))
	return err == nil && !info.IsDir()
}

func (l *CommandLine) absolute(path string) string { return files.Absolute(l.Dir, path) }
