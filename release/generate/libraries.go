package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// typescriptModule is the module whose declarations of the ECMAScript library are used.
const typescriptModule = "github.com/microsoft/typescript-go"

// declared lists the declarations of the engine's globals: ES2024 and the additions of QuickJS-NG,
// without shared memory.
var declared = []string{
	"lib.es5.d.ts",
	"lib.es2015.core.d.ts", "lib.es2015.collection.d.ts", "lib.es2015.iterable.d.ts", "lib.es2015.generator.d.ts",
	"lib.es2015.promise.d.ts", "lib.es2015.proxy.d.ts", "lib.es2015.reflect.d.ts", "lib.es2015.symbol.d.ts",
	"lib.es2015.symbol.wellknown.d.ts",
	"lib.es2016.array.include.d.ts",
	"lib.es2017.arraybuffer.d.ts", "lib.es2017.date.d.ts", "lib.es2017.object.d.ts", "lib.es2017.string.d.ts",
	"lib.es2017.typedarrays.d.ts",
	"lib.es2018.asynciterable.d.ts", "lib.es2018.asyncgenerator.d.ts", "lib.es2018.promise.d.ts", "lib.es2018.regexp.d.ts",
	"lib.es2019.array.d.ts", "lib.es2019.object.d.ts", "lib.es2019.string.d.ts", "lib.es2019.symbol.d.ts",
	"lib.es2020.bigint.d.ts", "lib.es2020.number.d.ts", "lib.es2020.promise.d.ts", "lib.es2020.string.d.ts",
	"lib.es2020.symbol.wellknown.d.ts",
	"lib.es2021.promise.d.ts", "lib.es2021.string.d.ts", "lib.es2021.weakref.d.ts",
	"lib.es2022.array.d.ts", "lib.es2022.error.d.ts", "lib.es2022.object.d.ts", "lib.es2022.regexp.d.ts", "lib.es2022.string.d.ts",
	"lib.es2023.array.d.ts", "lib.es2023.collection.d.ts",
	"lib.es2024.arraybuffer.d.ts", "lib.es2024.collection.d.ts", "lib.es2024.object.d.ts", "lib.es2024.promise.d.ts",
	"lib.es2024.regexp.d.ts", "lib.es2024.string.d.ts",
	"lib.es2025.collection.d.ts", "lib.es2025.float16.d.ts", "lib.es2025.promise.d.ts",
	"lib.es2025.regexp.d.ts",
	"lib.esnext.array.d.ts", "lib.esnext.collection.d.ts", "lib.esnext.disposable.d.ts", "lib.esnext.error.d.ts",
	"lib.esnext.typedarrays.d.ts",
}

// iterators is the one library that is a module, so it stays a file of its own.
const iterators = "lib.es2025.iterator.d.ts"

// replaced are changes of the declarations. The sandbox has no eval and no Function, because code from
// strings is disabled; types such as FunctionConstructor stay, because other declarations use them. The
// library declares its own options for bigints, with more members than the engine has.
var replaced = []struct{ old, new string }{
	{"declare function eval(x: string): any;", ""},
	{"declare var Function: FunctionConstructor;", ""},
	{"options?: BigIntToLocaleStringOptions", "options?: Intl.NumberFormatOptions"},
}

// libraries writes the declarations of the engine's globals: those of the compiler, without comments, and
// without Intl, of which the engine has a part (runner/typescript/intl.d.ts).
func libraries() error {
	const folder = "runner/typescript"
	files, err := engineLibraries(folder)
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644)) //nolint:gosec // source files, readable like all others
	}
	return err
}

// engineLibraries returns the texts of files of runner/typescript, the folder, by name.
func engineLibraries(folder string) (map[string]string, error) {
	list := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", "{{.Dir}}", typescriptModule)
	list.Dir = folder
	dir, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	read := func(names ...string) (string, error) {
		var all strings.Builder
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "internal/bundled/libs", name))
			if err != nil {
				return "", err
			}
			all.WriteString(withoutComments(withoutIntl(string(text))))
		}
		return all.String(), nil
	}
	text, err := read(declared...)
	if err != nil {
		return nil, err
	}
	own, err := read(iterators)
	if err != nil {
		return nil, err
	}
	for _, r := range replaced {
		if strings.Count(text, r.old) != 1 {
			return nil, fmt.Errorf("%q is not once in the declarations of %s", r.old, typescriptModule)
		}
		text = strings.Replace(text, r.old, r.new, 1)
	}
	const head = "// Declarations of the ECMAScript library from the TypeScript compiler, without comments.\n" +
		"// Copyright (c) Microsoft Corporation; licenses/typescript-go.txt. Written by: go run ./release/generate libraries\n"
	return map[string]string{"libraries.d.ts": head + text, "iterators.d.ts": head + own}, nil
}

// withoutIntl returns a text without the declarations of the namespace Intl.
func withoutIntl(text string) string {
	for {
		before, rest, found := strings.Cut(text, "declare namespace Intl {")
		if !found {
			return text
		}
		_, after, _ := strings.Cut(rest, "\n}\n")
		text = before + after
	}
}

// withoutComments returns declarations without comments, empty lines and indentation. No string in them
// has more than one line.
func withoutComments(text string) string {
	var out strings.Builder
	for text != "" {
		switch {
		case strings.HasPrefix(text, "//"):
			text = text[strings.IndexByte(text+"\n", '\n'):]
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text, "*/")
		default:
			size := 1
			if c := text[0]; c == '"' || c == '\'' || c == '`' {
				size += strings.IndexByte(text[1:], c) + 1 // no string has an escape
			}
			out.WriteString(text[:size])
			text = text[size:]
		}
	}
	var lines strings.Builder
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSpace(line); line != "" {
			lines.WriteString(line + "\n")
		}
	}
	return lines.String()
}
