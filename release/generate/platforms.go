package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

// typeCheck type-checks the program for other platforms than the one it runs on. This takes a fifth
// of the time of a build.
func typeCheck() error {
	failed := false
	for _, platform := range os.Args[1:] {
		start := time.Now()
		if err := checkPlatform(platform); err != nil {
			failed = true
			fmt.Fprintf(os.Stderr, "%s: %v\n", platform, err) //nolint:gosec // G705: a terminal, not a page
			continue
		}
		fmt.Printf("%s: no error (%s)\n", platform, time.Since(start).Round(time.Second))
	}
	if failed {
		return errors.New("the program does not compile everywhere")
	}
	return nil
}

// checkPlatform returns the type errors of the program and of all packages that it imports, joined.
func checkPlatform(platform string) error {
	system, arch, _ := strings.Cut(platform, "-")
	found, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
		Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch),
	}, "./cmd/toolscript")
	if err != nil {
		return err
	}
	packages.Visit(found, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			err = errors.Join(err, e)
		}
	})
	return err
}
