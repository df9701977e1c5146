// Command genwasm generates quickjs.wasm, the engine that package quickjs embeds, from its
// npm package:
//
//	go generate ./runner/quickjs
//
// It needs npm. With -check, it writes nothing and fails if the file would change. With
// -free, no instruction uses fuel; benchmarks use such a file to measure the cost of fuel.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/toolscript/toolscript/runner/quickjs/internal/fuel"
)

const (
	source = "quickjs-wasi@3.6.2"
	entry  = "package/quickjs.wasm"
	// shipped is the SHA-256 of entry in source.
	shipped = "d4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9"
)

// With a refill of 10,000, fuel costs no more CPU time than with 100,000, and the module
// calls the host every 10 to 50 µs.
var options = fuel.Options{Module: "env", Function: "host_interrupt", Export: "fuel", Refill: 10_000}

func main() {
	log.SetFlags(0)
	log.SetPrefix("genwasm: ")
	out := flag.String("o", "quickjs.wasm", "the file to write")
	check := flag.Bool("check", false, "fail when the file is not what would be written")
	flag.BoolVar(&options.Free, "free", false, "add no charges")
	flag.Parse()
	if err := run(context.Background(), *out, *check); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out string, check bool) error {
	module, err := fetch(ctx)
	if err != nil {
		return err
	}
	if sum := hash(module); sum != shipped {
		return fmt.Errorf("%s of %s has SHA-256 %s, want %s", entry, source, sum, shipped)
	}
	rewritten, err := fuel.Rewrite(module, options)
	if err != nil {
		return fmt.Errorf("rewrite %s: %w", entry, err)
	}
	if check {
		return compare(out, rewritten)
	}
	if err := os.WriteFile(out, rewritten, 0o644); err != nil { //nolint:gosec // a source file, readable like every other
		return err
	}
	fmt.Printf("%s: %d bytes, SHA-256 %s\n", out, len(rewritten), hash(rewritten))
	return nil
}

func compare(file string, want []byte) error {
	got, err := os.ReadFile(file) //nolint:gosec // a developer names the file
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%s has SHA-256 %s, but %s gives %s; run: go generate ./runner/quickjs", file, hash(got), source, hash(want))
	}
	return nil
}

// fetch downloads the npm package and returns the module in it.
func fetch(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "genwasm")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	pack := exec.CommandContext(ctx, "npm", "pack", "--silent", source)
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

func extract(archive string) ([]byte, error) {
	file, err := os.Open(archive) //nolint:gosec // npm wrote this file
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s holds no %s", source, entry)
		}
		if err != nil {
			return nil, err
		}
		if header.Name == entry {
			return io.ReadAll(files)
		}
	}
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
