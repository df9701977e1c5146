package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// npmArchive returns the archive of an npm package, such as preact@11.2.0. npm compares it with the
// hash of the registry.
func npmArchive(ctx context.Context, source string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "generate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)                                             //nolint:errcheck // a temporary folder
	pack := exec.CommandContext(ctx, "npm", "pack", "--silent", source) //nolint:gosec // the names are constants
	pack.Dir, pack.Stderr = dir, os.Stderr
	if err := pack.Run(); err != nil {
		return nil, fmt.Errorf("npm pack %s: %w", source, err)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return nil, fmt.Errorf("npm pack %s left %d archives, want 1", source, len(archives))
	}
	return os.ReadFile(archives[0])
}

// filesOf returns the wanted files of an archive by their path without the leading folder.
func filesOf(archive []byte, wanted func(path string) bool) (map[string][]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for all := tar.NewReader(unzipped); ; {
		header, err := all.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		_, path, _ := strings.Cut(header.Name, "/")
		if !wanted(path) {
			continue
		}
		if found[path], err = io.ReadAll(all); err != nil {
			return nil, err
		}
	}
}

// fileOf returns one file of an archive of source.
func fileOf(archive []byte, source, path string) ([]byte, error) {
	found, err := filesOf(archive, func(p string) bool { return p == path })
	if err == nil && found[path] == nil {
		err = fmt.Errorf("%s has no %s", source, path)
	}
	return found[path], err
}

// store writes a file, or with check compares it with content. folder is the folder for which the error says to run
// go generate.
func store(file string, content []byte, check bool, source, folder string) error {
	if !check {
		if err := os.WriteFile(file, content, 0o644); err != nil { //nolint:gosec // a source file, readable like all others
			return err
		}
		fmt.Printf("%s: %d bytes, SHA-256 %s\n", file, len(content), hashOf(content))
		return nil
	}
	got, err := os.ReadFile(file) //nolint:gosec // a developer names the file
	if err != nil {
		return err
	}
	if !bytes.Equal(got, content) {
		return fmt.Errorf("%s has SHA-256 %s, but %s gives %s; run: go generate ./%s", file, hashOf(got), source, hashOf(content), folder)
	}
	fmt.Printf("%s is what %s gives, SHA-256 %s\n", file, source, hashOf(content))
	return nil
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
