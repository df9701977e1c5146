package toolscript_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// inGateway are the top folders whose packages run in the gateway's process.
var inGateway = []string{"actors", "codegen", "harness", "internal", "transport"}

// readsText are the packages of the standard library that parse texts. Other libraries are all assumed to do so.
var readsText = []string{
	"archive", "compress", "debug", "encoding/asn1", "encoding/csv", "encoding/gob", "encoding/json", "encoding/pem", "encoding/xml",
	"go/parser", "html/template", "image", "mime", "net/mail", "net/textproto", "regexp", "text/template",
}

// readNothing maps the libraries that parse no foreign bytes to the reason.
var readNothing = map[string]string{
	"filippo.io/age":                      "encrypts recordings; only commands decrypt them",
	"github.com/anthdm/hollywood":         "mailboxes",
	"github.com/cenkalti/backoff":         "delays",
	"github.com/gofrs/flock":              "locks of files",
	"github.com/zalando/go-keyring":       "reads the keyring of the user",
	"go.etcd.io/bbolt":                    "reads files that only this program writes",
	"go.opentelemetry.io":                 "sends spans",
	"golang.org/x/net/http/httpproxy":     "reads the environment of the user",
	"golang.org/x/oauth2":                 "requests, whose answers are JSON",
	"golang.org/x/sync":                   "semaphores",
	"golang.org/x/sys":                    "system calls",
	"golang.org/x/text/language":          "the language of messages",
	"golang.org/x/text/message":           "writes messages",
	"golang.org/x/time":                   "rates",
	"google.golang.org/protobuf/encoding": "writes messages",
	"compress/gzip":                       "packs files of this program",
	"net/textproto":                       "writes headers",
	"mime/multipart":                      "writes bodies",
}

// parserRow is a row of the table of parsers.
type parserRow struct {
	libraries, packages []string
	bound               string
	used                bool
}

// TestParsersOfTheGateway checks that docs/gateway.md names every library that reads foreign
// bytes in the gateway's process, with its bound.
func TestParsersOfTheGateway(t *testing.T) {
	rows := parserRows(t)
	all := packages(t)
	for pkg, imports := range all {
		if !slices.Contains(inGateway, topFolder(pkg)) {
			continue
		}
		for _, library := range imports {
			if within(library, module) || !readsTexts(library) {
				continue
			}
			i := slices.IndexFunc(rows, func(r parserRow) bool {
				return slices.ContainsFunc(r.libraries, func(l string) bool { return within(library, l) }) &&
					slices.ContainsFunc(r.packages, func(p string) bool { return p == "." || inFolder(pkg, p) })
			})
			switch {
			case i >= 0:
				rows[i].used = true
			case !known(library):
				t.Errorf("%s imports %s: name it with its bound in docs/gateway.md, \"Parsers\", or in readNothing", pkg, library)
			}
		}
	}
	for _, r := range rows {
		if len(r.libraries) > 0 && !r.used {
			t.Errorf("docs/gateway.md, \"Parsers\": %v imports none of %v", r.packages, r.libraries)
		}
		for _, p := range r.packages {
			if _, exists := all[module+"/"+p]; p != "." && !exists {
				t.Errorf("docs/gateway.md, \"Parsers\": there is no package %s", p)
			}
			if strings.Contains(r.bound, "converter") && !converts(t, p) {
				t.Errorf("docs/gateway.md, \"Parsers\": %s has no conversion", p)
			}
		}
		if strings.TrimSpace(r.bound) == "" {
			t.Errorf("docs/gateway.md, \"Parsers\": %v has no bound", r.libraries)
		}
	}
}

// converts reports whether a package lets a worker process parse foreign texts.
func converts(t *testing.T, folder string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), "ConvertKind")
	})
}

func readsTexts(library string) bool {
	first, _, _ := strings.Cut(library, "/")
	return strings.Contains(first, ".") || slices.ContainsFunc(readsText, func(l string) bool { return within(library, l) })
}

func known(library string) bool {
	for l := range readNothing {
		if within(library, l) {
			return true
		}
	}
	return false
}

// parserRows reads the table of docs/gateway.md.
func parserRows(t *testing.T) (rows []parserRow) {
	t.Helper()
	text, err := os.ReadFile("docs/gateway.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Parsers\n")
	section, _, _ = strings.Cut(section, "\n## ")
	span := regexp.MustCompile("`([^`]+)`")
	spans := func(cell string) (out []string) {
		for _, m := range span.FindAllStringSubmatch(cell, -1) {
			out = append(out, m[1])
		}
		return out
	}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || strings.HasPrefix(line, "|--") || strings.Contains(cells[1], "library") {
			continue
		}
		rows = append(rows, parserRow{libraries: spans(cells[1]), packages: spans(cells[2]), bound: cells[3]})
	}
	if len(rows) < 10 {
		t.Fatalf("docs/gateway.md has a table of %d parsers", len(rows))
	}
	return rows
}
