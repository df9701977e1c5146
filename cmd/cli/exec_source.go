package cli

import (
	"bytes"
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
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/exit"
)

// source is a script with its arguments and its input.
type source struct {
	code  string
	file  string    // name in diagnostics and traces
	args  []string  // for the script
	stdin io.Reader // nil if the script itself came from there
}

// inlineName is the file name of code from the command line, for diagnostics.
const inlineName = "script.ts"

// maxSource bounds the bytes that are read, in case of a device file or a wrong path.
// The limit for scripts is lower and is enforced by the gateway.
const maxSource = 64 << 20

var scriptExtensions = []string{".ts", ".js", ".mts"}

// fileName matches words that can only be the name of a script.
var fileName = regexp.MustCompile(`^[^\s"'()]+\.(ts|js|mts)$`)

// source finds the script: -e CODE, -f FILE, else the first argument, which is code, a
// file or "-". All other arguments belong to the script.
func (o *execOptions) source(ctx context.Context, args []string) (source, error) {
	switch {
	case o.evalSet && o.file != "":
		return source{}, o.usage("give either -e CODE or -f FILE, not both")
	case o.evalSet:
		return o.inline(o.eval, args)
	case o.file != "":
		return o.fromFile(ctx, o.file, args)
	case len(args) == 0:
		return source{}, o.usage("missing argument: CODE, a script FILE.ts, or - to read the script from stdin")
	case args[0] == "-" || o.isScript(args[0]):
		return o.fromFile(ctx, args[0], args[1:])
	case len(args) > 1 && !o.dashed:
		return source{}, o.usage("unexpected argument %q; arguments of the script go after --", args[1])
	default:
		if err := o.meantPath(args[0]); err != nil {
			return source{}, err
		}
		return o.inline(args[0], args[1:])
	}
}

func (o *execOptions) inline(code string, args []string) (source, error) {
	if strings.TrimSpace(code) == "" {
		return source{}, o.usage("the script is empty: give CODE, a script FILE.ts, or - to read the script from stdin")
	}
	return source{code: code, file: inlineName, args: args, stdin: o.Stdin}, readable([]byte(code), "the script")
}

func (o *execOptions) usage(format string, args ...any) error {
	return &exit.UsageError{Command: o.command, Err: fmt.Errorf(format, args...)}
}

// fromFile reads the script from a file, or from stdin if the path is "-". Reading a
// terminal or a pipe may never end, so it stops with ctx.
func (o *execOptions) fromFile(ctx context.Context, path string, args []string) (source, error) {
	type result struct {
		source
		err error
	}
	read := make(chan result, 1)
	go func() {
		src, err := o.readFile(path, args)
		read <- result{src, err}
	}()
	select {
	case r := <-read:
		return r.source, r.err
	case <-ctx.Done():
		return source{}, context.Cause(ctx)
	}
}

func (o *execOptions) readFile(path string, args []string) (source, error) {
	if path == "-" {
		code, err := readSource(o.Stdin, "stdin")
		return source{code: code, file: inlineName, args: args}, err
	}
	f, err := os.Open(o.absolute(path))
	if errors.Is(err, fs.ErrNotExist) {
		return source{}, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("file not found: %s", path)}
	}
	if err != nil {
		return source{}, err
	}
	defer func() { _ = f.Close() }() // only read
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return source{}, o.folder(path)
	}
	code, err := readSource(f, path)
	return source{code: code, file: filepath.Base(path), args: args, stdin: o.Stdin}, err
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

// readable requires UTF-8: encoding as JSON would silently replace other bytes, in
// strings that are sent to tools too.
func readable(text []byte, name string) error {
	if utf8.Valid(text) {
		return nil
	}
	number := 0
	for line := range bytes.Lines(text) {
		if number++; !utf8.Valid(line) {
			break
		}
	}
	why := fmt.Sprintf("the first wrong line is %d", number)
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		why = "it looks like UTF-16"
	}
	return &toolscript.Error{Kind: toolscript.Unsupported, Err: fmt.Errorf("%s is not UTF-8 text (%s); save it as UTF-8", name, why)}
}

// isScript reports whether an argument names a script: it is an existing file with a
// script's extension, or a word that cannot be code.
func (a *app) isScript(arg string) bool {
	if fileName.MatchString(arg) {
		return true
	}
	return slices.Contains(scriptExtensions, filepath.Ext(arg)) && a.isFile(arg)
}

// meantPath returns an error for an argument that names a folder, or a file that is not
// a script. Such an argument has a separator or is "." or "..". A single word is code,
// even if a file has that name.
func (o *execOptions) meantPath(arg string) error {
	if !strings.ContainsRune(filepath.ToSlash(arg), '/') && arg != "." && arg != ".." || strings.ContainsRune(arg, 0) {
		return nil
	}
	info, err := os.Stat(o.absolute(arg))
	switch {
	case err == nil && info.IsDir():
		return o.folder(arg)
	case err == nil:
		return o.usage("%s has no extension of a script (%s); run it with -f %[1]s", arg, strings.Join(scriptExtensions, ", "))
	}
	return nil
}

func (o *execOptions) folder(path string) error {
	return o.usage("%s is a folder; name a script in it", path)
}

func (a *app) isFile(path string) bool {
	if strings.ContainsRune(path, 0) {
		return false
	}
	info, err := os.Stat(a.absolute(path))
	return err == nil && !info.IsDir()
}

// absolute resolves a path in the working directory of the command.
func (a *app) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.Dir, path)
}
