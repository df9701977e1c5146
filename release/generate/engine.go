package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/toolscript/toolscript/release/generate/fuel"
)

const (
	engineSource = "quickjs-wasi@3.6.2"
	engineFile   = "quickjs.wasm"
	// engineHash is the SHA-256 of engineFile in engineSource.
	engineHash = "d4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9"
)

// engine writes the engine that package quickjs embeds: the file of its npm package, with charges
// of fuel. With -free no instruction uses fuel; benchmarks use such a file to measure the cost of
// fuel.
func engine() error {
	// With a refill of 10,000, fuel costs no more CPU time than with 100,000, and the module
	// calls the host every 10 to 50 µs.
	options := fuel.Options{Module: "env", Function: "host_interrupt", Export: "fuel", Refill: 10_000}
	out := flag.String("o", engineFile, "the file to write")
	check := checkOnly()
	flag.BoolVar(&options.Free, "free", false, "add no charges")
	flag.Parse()
	archive, err := npmArchive(context.Background(), engineSource)
	if err != nil {
		return err
	}
	module, err := fileOf(archive, engineSource, engineFile)
	if err != nil {
		return err
	}
	if sum := hashOf(module); sum != engineHash {
		return fmt.Errorf("%s of %s has SHA-256 %s, want %s", engineFile, engineSource, sum, engineHash)
	}
	rewritten, err := fuel.Rewrite(module, options)
	if err != nil {
		return fmt.Errorf("rewrite %s: %w", engineFile, err)
	}
	return store(*out, rewritten, *check, engineSource, "runner/quickjs")
}
