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
)

// source is a script and what belongs to it on the command line.
type source struct {
	code  string
	file  string    // its name in diagnostics and traces
	args  []string  // for the script
	stdin io.Reader // nil when the script itself came from there
}

// inlineName is how diagnostics call code that has no file.
const inlineName = "script.ts"

// maxSource bounds what is read into memory. It only keeps a device file or a
// wrong path from filling it: the limit of scripts is the gateway's and lower.
const maxSource = 64 << 20

var scriptExtensions = []string{".ts", ".js", ".mts"}

// fileName matches a word that can only be meant as the name of a script.
var fileName = regexp.MustCompile(`^[^\s"'()]+\.(ts|js|mts)$`)

// source finds the script: -e CODE, -f FILE, else the first argument, which is
// code, a file or "-". The other arguments are the script's.
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
	return source{code: code, file: inlineName, args: args, stdin: o.Stdin}, readable([]byte(code), "the script")
}

func (o *execOptions) usage(format string, args ...any) error {
	return &usageError{o.command, fmt.Errorf(format, args...)}
}

// fromFile reads the script from a file, or from stdin when the path is "-". A
// terminal or a pipe may never end, so ctx ends the wait for it.
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
		return "", fmt.Errorf("%s is larger than %d MB, which no script is", name, maxSource>>20)
	}
	return string(text), readable(text, name)
}

// readable wants UTF-8. On its way to the gateway, in JSON, any other byte would
// become another character without a word, in strings that go to tools too.
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
	why := fmt.Sprintf("line %d is the first that is not", number)
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		why = "it looks like UTF-16"
	}
	return &toolscript.Error{Kind: toolscript.Unsupported, Err: fmt.Errorf("%s is not UTF-8 text (%s); save it as UTF-8", name, why)}
}

// isScript reports whether an argument names a script: an existing file with
// the extension of one, or a word that cannot be anything else.
func (a *app) isScript(arg string) bool {
	if fileName.MatchString(arg) {
		return true
	}
	return slices.Contains(scriptExtensions, filepath.Ext(arg)) && a.isFile(arg)
}

// meantPath is what is wrong with an argument that names a file or folder and not
// a script. It has a separator in it, or is one of those that mean a folder
// anywhere: a word alone is code, whatever lies there.
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

// absolute is the path as seen from the command's working directory.
func (a *app) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.Dir, path)
}
