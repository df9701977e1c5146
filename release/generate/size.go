package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// printSize builds the program as a release has it, and prints its bytes, the code of each library in it,
// and the functions that find methods by a name that the linker does not know. The linker keeps every
// exported method of every type if there is one such function, which is a fifth of the program.
func printSize() error {
	dir, err := os.MkdirTemp("", "toolscript-size-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the system removes it
	stripped, symbols := filepath.Join(dir, "stripped"), filepath.Join(dir, "symbols")
	dependencies, err := link(stripped, "-s -w -dumpdep")
	if err != nil {
		return err
	}
	if _, err := link(symbols, ""); err != nil {
		return err
	}
	whole, packed, err := packedSize(stripped)
	if err != nil {
		return err
	}
	fmt.Printf("%7.1f MB stripped\n%7.1f MB packed with gzip\n", float64(whole)/1e6, float64(packed)/1e6)
	if err := printCode(symbols); err != nil {
		return err
	}
	if found := findsMethods(dependencies); len(found) > 0 {
		return fmt.Errorf("methods are found by name in %s: the linker keeps every exported method", strings.Join(found, ", "))
	}
	return nil
}

// link builds the program with flags of the linker, and returns what the linker prints.
func link(to, flags string) ([]byte, error) {
	c := exec.CommandContext(context.Background(), "go", "build", "-trimpath", "-ldflags", flags, "-o", to, "./cmd/toolscript") //nolint:gosec // constants
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := c.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return out, nil
}

// packedSize returns the bytes of a file, and those of the file in an archive.
func packedSize(path string) (whole, packed int64, err error) {
	f, err := os.Open(path) //nolint:gosec // a file of this command
	if err != nil {
		return 0, 0, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	var count counter
	w, err := gzip.NewWriterLevel(&count, gzip.BestCompression)
	if err != nil {
		return 0, 0, err
	}
	whole, err = io.Copy(w, f)
	return whole, int64(count), errors.Join(err, w.Close())
}

// counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// printCode prints the code of each library, the largest first. The tables of the runtime add about
// three quarters of it.
func printCode(program string) error {
	out, err := exec.CommandContext(context.Background(), "go", "tool", "nm", "-size", program).Output() //nolint:gosec // a file of this command
	if err != nil {
		return err
	}
	const shown = 40
	code := map[string]int{}
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) >= 4 && strings.EqualFold(words[2], "t") {
			bytes, _ := strconv.Atoi(words[1]) // nm prints a number
			code[library(words[3])] += bytes
		}
	}
	libraries := slices.SortedFunc(maps.Keys(code), func(a, b string) int { return cmp.Compare(code[b], code[a]) })
	for _, name := range libraries[:min(len(libraries), shown)] {
		fmt.Printf("%7.0f kB %s\n", float64(code[name])/1e3, name)
	}
	return nil
}

// library returns the module, or the package of Go's library, of a symbol such as
// net/http.(*Client).Do.
func library(symbol string) string {
	end := strings.IndexAny(symbol, "([{")
	if end < 0 {
		end = len(symbol)
	}
	slash := strings.LastIndexByte(symbol[:end], '/') + 1
	name, _, _ := strings.Cut(symbol[slash:end], ".")
	parts := strings.Split(symbol[:slash]+name, "/")
	if strings.Contains(parts[0], ".") {
		return strings.Join(parts[:min(3, len(parts))], "/")
	}
	return strings.Join(parts, "/")
}

var reflecting = regexp.MustCompile(`^(\S+) <ReflectMethod> -> `)

// findsMethods returns the functions that find methods by a name, from what the linker prints with
// -dumpdep. The first one that the linker reached is the cause of the others.
func findsMethods(dependencies []byte) (found []string) {
	lines := bufio.NewScanner(bytes.NewReader(dependencies))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if m := reflecting.FindStringSubmatch(lines.Text()); m != nil && !slices.Contains(found, m[1]) {
			found = append(found, m[1])
		}
	}
	return found
}
