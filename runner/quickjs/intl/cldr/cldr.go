// Package cldr contains the locale data of the Unicode CLDR for the languages of package
// intl. The data is embedded in the program, and each part is decompressed at its first use.
package cldr

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
)

//go:generate go run ../../../../release/generate locales -o cldr.zip

//go:embed cldr.zip
var archive []byte

// Table maps names to texts. A name is a path, such as months:format:wide:1.
type Table map[string]string

// At returns the text at a path, or "".
func (t Table) At(path ...string) string { return t[strings.Join(path, ":")] }

// Section is a part of the data of a locale.
type Section string

// The sections.
const (
	Numbers    Section = "numbers"
	Currencies Section = "currencies"
	Units      Section = "units"
	Calendar   Section = "calendar"
	Zones      Section = "zones"
	Words      Section = "words" // relative times and lists
)

// Tables that belong to no locale.
var (
	// Digits maps currencies that do not have two fraction digits to their number of fraction digits.
	Digits = sync.OnceValue(func() Table { return load("digits", nil) })
	// Metazones maps zones to the groups of zones with which they share names.
	Metazones = sync.OnceValue(func() Table { return load("metazones", nil) })
	// ZoneNames maps all names of zones to their canonical names.
	ZoneNames = sync.OnceValue(func() Table { return load("zones", nil) })
	aliases   = sync.OnceValue(func() Table { return load("aliases", nil) })
	locales   = sync.OnceValue(func() Table { return load("locales", nil) })
)

var reader = sync.OnceValue(func() *zip.Reader {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(fmt.Sprintf("cldr: the embedded archive: %v", err)) // impossible: a test reads the whole archive
	}
	return r
})

func text(entry string) string {
	file, err := reader().Open(entry)
	if err != nil {
		return ""
	}
	defer file.Close() //nolint:errcheck // only read
	content, err := io.ReadAll(file)
	if err != nil {
		panic(fmt.Sprintf("cldr: the embedded %s: %v", entry, err)) // impossible: a test reads the whole archive
	}
	return string(content)
}

// load returns a table of a locale, which includes the texts of its parents. chain is the
// locale and its parents, or nil for a table that belongs to no locale.
func load(entry string, chain []string) Table {
	t := Table{}
	blocks := blocksOf(text(entry))
	t.merge(blocks[""])
	for i := len(chain) - 1; i >= 0; i-- {
		t.merge(blocks[chain[i]])
	}
	return t
}

// blocksOf splits an entry into blocks of lines, by locale.
func blocksOf(entry string) map[string]string {
	blocks := map[string]string{}
	for name := ""; entry != ""; {
		start := strings.Index(entry, "\n=")
		if entry[0] == '=' {
			name, entry, _ = strings.Cut(entry[1:], "\n")
			start = strings.Index(entry, "\n=")
		}
		if start < 0 {
			blocks[name] = entry
			break
		}
		blocks[name], entry = entry[:start+1], entry[start+1:]
	}
	return blocks
}

func (t Table) merge(lines string) {
	for line := range strings.Lines(lines) {
		name, value, has := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if has {
			t[name] = value
		} else {
			delete(t, name)
		}
	}
}

// cached are recently used tables. Their number is bounded, because hostile scripts ask for
// all locales.
var cached = struct {
	sync.Mutex
	tables map[string]Table
}{tables: map[string]Table{}}

const mostCached = 64

// Of returns a section of an available locale. The caller must not change it.
func Of(locale string, section Section) Table {
	data := dataOf(locale)
	key := data + "/" + string(section)
	cached.Lock()
	defer cached.Unlock()
	if t := cached.tables[key]; t != nil {
		return t
	}
	language, _, _ := strings.Cut(data, "-")
	t := load(language+"/"+string(section), chainOf(data))
	if len(cached.tables) >= mostCached {
		clear(cached.tables)
	}
	cached.tables[key] = t
	return t
}
