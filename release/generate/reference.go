package main

import (
	"errors"
	"flag"
	"os"
	"strings"

	"github.com/spf13/cobra/doc"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/cli"
)

// reference writes the reference of the commands: pages in Markdown, or manual pages.
func reference() error {
	man := flag.Bool("man", false, "write manual pages")
	flag.Parse()
	if flag.NArg() != 1 {
		return errors.New("usage: reference [-man] FOLDER")
	}
	write := writeMarkdown
	if *man {
		write = writeMan
	}
	return write(flag.Arg(0))
}

// writeMarkdown writes one page for each command. The texts of the help are paragraphs
// and examples for a terminal, so they are shown as they are.
func writeMarkdown(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // G301: pages are for everyone
		return err
	}
	root := cli.Commands()
	root.DisableAutoGenTag = true
	return doc.GenMarkdownTree(root, folder)
}

// writeMan writes one manual page for each command, in section 1. The date of the pages is SOURCE_DATE_EPOCH,
// else the current date.
func writeMan(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // G301: pages are for everyone
		return err
	}
	root := cli.Commands()
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{
		Section: "1", Source: "toolscript " + toolscript.Version, Manual: strings.ToUpper(root.Name()),
	}, folder)
}
