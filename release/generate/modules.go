package main

import (
	"context"
	"flag"
)

// modulePackages maps each package to its files: their names in the package and in transport/api.
var modulePackages = map[string]map[string]string{
	"preact@11.2.0": {"dist/preact.mjs": "assets/preact.mjs", "LICENSE": "licenses/preact.txt"},
	"htm@3.1.1":     {"dist/htm.mjs": "assets/htm.mjs", "LICENSE": "licenses/htm.txt"},
}

// modules copies the third-party modules of the operator page from their npm packages.
func modules() error {
	check := checkOnly()
	flag.Parse()
	for source, files := range modulePackages {
		archive, err := npmArchive(context.Background(), source)
		if err != nil {
			return err
		}
		for name, here := range files {
			content, err := fileOf(archive, source, name)
			if err != nil {
				return err
			}
			if err := store(here, content, *check, source, "transport/api"); err != nil {
				return err
			}
		}
	}
	return nil
}
