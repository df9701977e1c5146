// Command gencldr generates the tables of package cldr from npm packages that contain the
// Unicode CLDR:
//
//	go generate ./runner/quickjs/intl/...
//
// It needs npm. With -check, it writes nothing and fails if the file would change.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gencldr: ")
	out := flag.String("o", "cldr.zip", "the file to write")
	check := flag.Bool("check", false, "fail when the file is not what would be written")
	from := flag.String("from", "", "a folder with the archives of the packages, instead of npm")
	flag.Parse()
	if err := run(context.Background(), *out, *from, *check); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out, from string, check bool) error {
	made, err := makeLocales(ctx, from)
	if err != nil {
		return err
	}
	if check {
		got, err := os.ReadFile(out) //nolint:gosec // a developer names the file
		if err != nil {
			return err
		}
		if !bytes.Equal(got, made) {
			return fmt.Errorf("%s has SHA-256 %x, but the packages give %x; run 'go generate ./runner/quickjs/intl/...' to write it", out, sha256.Sum256(got), sha256.Sum256(made))
		}
		return nil
	}
	if err := os.WriteFile(out, made, 0o644); err != nil { //nolint:gosec // a source file, readable like every other
		return err
	}
	fmt.Printf("%s: %d bytes, SHA-256 %x\n", out, len(made), sha256.Sum256(made))
	return nil
}
