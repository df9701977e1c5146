package killed

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/pin"
	"github.com/toolscript/toolscript/actors/search"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/runner/quickjs"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// written are the files that gateways share. Their versions are long, so that kills hit writes.
var written = map[string]file{
	"a file":     {write: writeText, read: readText},
	"tool lists": {write: writeTools, read: readTools},
	"vectors":    {write: writeVectors, read: readVectors},
	"logins":     {write: writeLogin, read: readLogin},
	"pins":       {write: writePins, read: readPins},
	"the engine": {write: writeEngine, read: readEngine, slow: time.Second},
	"its image":  {write: writeImage, read: readEngine, slow: 200 * time.Millisecond},
}

// lines returns a long text that consists of lines with the number n.
func lines(n int) string { return strings.Repeat(strconv.Itoa(n)+"\n", 20_000) }

// number returns the number in a text of lines, or an error if the text is incomplete.
func number(text string) (int, error) {
	first, _, _ := strings.Cut(text, "\n")
	n, err := strconv.Atoi(first)
	if err == nil && text != lines(n) {
		err = fmt.Errorf("a mixed text that begins with %d", n)
	}
	return n, err
}

func writeText(folder string) error {
	n, err := readText(folder)
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(folder, "text"), []byte(lines(n+1)))
}

func readText(folder string) (int, error) {
	text, err := os.ReadFile(filepath.Join(folder, "text"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return number(string(text))
}

var definition = upstream.Config{Type: upstream.Stdio, Command: "server", Source: "/home/.toolscript.json"}

const toolCount = 200

func writeTools(folder string) error {
	n, err := readTools(folder)
	if err != nil {
		return err
	}
	tools := make([]toolscript.Tool, toolCount)
	for i := range tools {
		tools[i] = toolscript.Tool{Name: fmt.Sprint("tool", i), Description: strconv.Itoa(n + 1)}
	}
	return server.ToolLists(folder).Keep("s", definition, tools)
}

func readTools(folder string) (int, error) {
	kept, err := os.ReadDir(folder)
	if err != nil {
		return 0, err
	}
	last, ok := server.ToolLists(folder).Last("s", definition)
	if !ok {
		for _, e := range kept {
			if strings.HasSuffix(e.Name(), ".json") {
				return 0, fmt.Errorf("%s is damaged", e.Name())
			}
		}
		return 0, nil
	}
	for _, tool := range last.Tools {
		if len(last.Tools) != toolCount || tool.Description != last.Tools[0].Description {
			return 0, fmt.Errorf("a mixed list of %d tools", len(last.Tools))
		}
	}
	return strconv.Atoi(last.Tools[0].Description)
}

func vectorFile(folder string) search.VectorFile {
	return search.VectorFile{Dir: folder, Model: "m-1", Dim: 64}
}

func vectorKey(n int) index.Key { return sha256.Sum256([]byte(strconv.Itoa(n))) }

// maxVersion is larger than the number of versions that a test writes.
const maxVersion = search.MaxVectors

var vectorKeys = sync.OnceValue(func() (all []index.Key) {
	for n := 1; n <= maxVersion; n++ {
		all = append(all, vectorKey(n))
	}
	return all
})

// writeVectors adds one vector to the file of vectors.
func writeVectors(folder string) error {
	n, err := readVectors(folder)
	if err != nil {
		return err
	}
	if n == maxVersion {
		return errors.New("the file is full")
	}
	fresh := index.Vectors{}
	for i := n + 1; i <= max(n+1, 500); i++ { // the first version has 500 vectors
		fresh[vectorKey(i)] = make([]float32, 64)
	}
	return vectorFile(folder).Add(context.Background(), fresh, nil)
}

func readVectors(folder string) (int, error) {
	found, err := vectorFile(folder).Read(vectorKeys())
	if err != nil {
		return 0, err
	}
	n := len(found.Vectors)
	for i := 1; i <= n; i++ {
		if found.Vectors[vectorKey(i)] == nil {
			return 0, fmt.Errorf("vector %d of %d is missing", i, n)
		}
	}
	return n, nil
}

func writeLogin(folder string) error {
	store := oauth.Store{Dir: folder}
	unlock, err := store.Lock(context.Background(), "s")
	if err != nil {
		return err
	}
	defer unlock()
	n, err := readLogin(folder)
	if err != nil {
		return err
	}
	c := oauth.Credentials{URL: "https://example.com/mcp", Issuer: "https://example.com"}
	c.Token.Access, c.Token.Refresh = oauth.Secret(lines(n+1)), oauth.Secret(lines(n+1))
	return store.Save("s", c)
}

func readLogin(folder string) (int, error) {
	c, err := (oauth.Store{Dir: folder}).Load("s")
	if err != nil || c.Token.Access == "" {
		return 0, err
	}
	if c.Token.Access != c.Token.Refresh {
		return 0, errors.New("two versions of the tokens")
	}
	return number(string(c.Token.Access))
}

func writePins(folder string) error {
	return pin.Folder(folder).Update("s", definition.Source, func(r *pin.Record) *pin.Record {
		n := 0
		if r != nil {
			n, _ = strconv.Atoi(r.Identity) // readPins reports an error
		}
		next := &pin.Record{Server: "s", Source: definition.Source, Identity: strconv.Itoa(n + 1), Tools: map[string]string{}}
		for i := range toolCount {
			next.Tools[fmt.Sprint("tool", i)] = next.Identity
		}
		return next
	})
}

func readPins(folder string) (int, error) {
	r, err := pin.Folder(folder).Load("s", definition.Source)
	if err != nil || r == nil {
		return 0, err
	}
	for name, pinned := range r.Tools {
		if len(r.Tools) != toolCount || pinned != r.Identity {
			return 0, fmt.Errorf("a mixed record of %d tools: %s is %s", len(r.Tools), name, pinned)
		}
	}
	return strconv.Atoi(r.Identity)
}

// writeEngine starts an engine after removing the cached compiled engine.
func writeEngine(folder string) error {
	cache := filepath.Join(folder, "quickjs")
	compiled, _ := filepath.Glob(filepath.Join(cache, "wazero-*", "*")) // the pattern is valid
	for _, path := range compiled {
		if !strings.HasSuffix(path, ".tmp") {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return writeImage(folder)
}

// writeImage starts an engine after removing the cached image.
func writeImage(folder string) error {
	cache := filepath.Join(folder, "quickjs")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	images, _ := filepath.Glob(filepath.Join(cache, "image-*")) // the pattern is valid
	for _, path := range images {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	e, err := quickjs.NewEngine(context.Background(), quickjs.Options{CacheDir: cache})
	if err != nil {
		return err
	}
	return e.Close()
}

// compiled returns the content of the file of the compiled engine, which is always the same.
var compiled = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "killed-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	if err := writeEngine(folder); err != nil {
		return nil, err
	}
	names, _ := filepath.Glob(filepath.Join(folder, "quickjs", "wazero-*", "*")) // the pattern is valid
	if len(names) != 1 {
		return nil, fmt.Errorf("%d files of the compiled engine", len(names))
	}
	return os.ReadFile(names[0])
})

// readEngine returns 1 if the compiled engine and the image are complete or missing, because writers
// remove them.
func readEngine(folder string) (int, error) {
	want, err := compiled()
	if err != nil {
		return 0, err
	}
	cache := filepath.Join(folder, "quickjs")
	err = filepath.WalkDir(cache, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && (e.IsDir() || strings.HasSuffix(path, ".tmp") || strings.HasSuffix(path, ".lock")) {
			return nil
		}
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		switch isImage := strings.HasPrefix(e.Name(), "image-"); {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case isImage && len(text) < sha256.Size:
			return fmt.Errorf("%s has %d bytes", path, len(text))
		case isImage:
			if sum := sha256.Sum256(text[sha256.Size:]); !bytes.Equal(sum[:], text[:sha256.Size]) {
				return fmt.Errorf("%s is damaged", path)
			}
		case !bytes.Equal(text, want):
			return fmt.Errorf("%s is damaged", path)
		}
		return nil
	})
	return 1, err
}
