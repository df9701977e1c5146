package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// localePackages lists the npm packages with the data of CLDR 48.2, which ICU 78.3 of Node.js 22 uses.
var localePackages = []string{
	"cldr-core@48.2.0", "cldr-bcp47@48.2.0", "cldr-dates-full@48.2.0", "cldr-numbers-full@48.2.0", "cldr-misc-full@48.2.0",
	"cldr-units-full@48.2.0",
}

// locales writes the tables of package cldr, from npm packages that contain the Unicode CLDR.
func locales() error {
	out := flag.String("o", "cldr.zip", "the file to write")
	check := checkOnly()
	from := flag.String("from", "", "a folder with the archives of the packages, instead of npm")
	flag.Parse()
	made, err := makeLocales(context.Background(), *from)
	if err != nil {
		return err
	}
	return store(*out, made, *check, strings.Join(localePackages, ", "), "runner/quickjs/intl/...")
}

// localeFiles maps paths, without the leading folder, to the content of files in packages.
type localeFiles map[string][]byte

// fetch adds the wanted files of a package, from the folder from, or from npm if from is empty.
func (f localeFiles) fetch(ctx context.Context, name, from string, wanted func(path string) bool) (err error) {
	var archive []byte
	if from == "" {
		archive, err = npmArchive(ctx, name)
	} else {
		archive, err = os.ReadFile(filepath.Join(from, strings.ReplaceAll(name, "@", "-")+".tgz")) //nolint:gosec // a developer names the folder
	}
	if err != nil {
		return err
	}
	found, err := filesOf(archive, wanted)
	maps.Copy(f, found)
	return err
}

// object is a JSON object.
type object map[string]any

// read returns the object at a path of member names in a file.
func (f localeFiles) read(path string, place ...string) (object, error) {
	text, ok := f[path]
	if !ok {
		return nil, fmt.Errorf("the packages have no %s", path)
	}
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range place {
		o = o.in(name)
	}
	if o == nil {
		return nil, fmt.Errorf("%s has no %s", path, strings.Join(place, "."))
	}
	return o, nil
}

func (o object) in(path ...string) object {
	for _, name := range path {
		next, _ := o[name].(map[string]any)
		o = next
	}
	return o
}

func (o object) text(name string) string {
	s, _ := o[name].(string)
	return s
}
