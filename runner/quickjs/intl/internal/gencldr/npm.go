package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// packages lists the npm packages with the data of CLDR 48.2, which ICU 78.3 of Node.js 22 uses.
var packages = []string{
	"cldr-core@48.2.0", "cldr-bcp47@48.2.0", "cldr-dates-full@48.2.0", "cldr-numbers-full@48.2.0", "cldr-misc-full@48.2.0",
	"cldr-units-full@48.2.0",
}

// files maps paths, without the leading folder, to the content of files in packages.
type files map[string][]byte

// fetch adds the wanted files of a package, from the folder from, or from npm if from is empty.
func (f files) fetch(ctx context.Context, name, from string, wanted func(path string) bool) error {
	if from == "" {
		dir, err := os.MkdirTemp("", "gencldr")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)                                           //nolint:errcheck // a temporary folder
		pack := exec.CommandContext(ctx, "npm", "pack", "--silent", name) //nolint:gosec // the names are constants
		pack.Dir, pack.Stderr = dir, os.Stderr
		if err := pack.Run(); err != nil {
			return fmt.Errorf("npm pack %s: %w", name, err)
		}
		from = dir
	}
	return f.extract(filepath.Join(from, strings.ReplaceAll(name, "@", "-")+".tgz"), wanted)
}

func (f files) extract(archive string, wanted func(path string) bool) error {
	file, err := os.Open(archive) //nolint:gosec // npm wrote this file
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	for all := tar.NewReader(unzipped); ; {
		header, err := all.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, path, _ := strings.Cut(header.Name, "/")
		if !wanted(path) {
			continue
		}
		if f[path], err = io.ReadAll(all); err != nil {
			return err
		}
	}
}

// object is a JSON object.
type object map[string]any

// read returns the object at a path of member names in a file.
func (f files) read(path string, place ...string) (object, error) {
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
