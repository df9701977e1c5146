package shim

import (
	"slices"
	"strconv"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/diagnostics"
	"github.com/microsoft/typescript-go/internal/locale"
	"github.com/microsoft/typescript-go/internal/scanner"
)

// Diagnostic is one error with the message of tsc.
type Diagnostic struct {
	File         string // path of the module, or "" for the script itself
	Line, Column int    // from 1; columns in UTF-16 units
	Code         string // as tsc prints it: TS2322
	Message      string // later lines are indented by two spaces per level

	Subject Subject
}

// isMissingAwait reports whether the script uses a promise of any instead of its value. For
// other promises, the compiler itself suggests await.
func isMissingAwait(d *ast.Diagnostic) bool {
	for _, more := range d.RelatedInformation() {
		if more.Code() == diagnostics.Did_you_forget_to_use_await.Code() {
			return true
		}
	}
	args := d.MessageArgs()
	return slices.Contains(noProperty, d.Code()) && len(args) >= 2 && args[1] == "Promise<any>"
}

// report converts diagnostics. about returns the subject of a diagnostic; if it is nil, there
// are no subjects.
func report(found []*ast.Diagnostic, about func(*ast.Diagnostic) Subject) []Diagnostic {
	var out []Diagnostic
	for _, d := range found {
		r := Diagnostic{Line: 1, Column: 1, Code: "TS" + strconv.Itoa(int(d.Code())), Message: message(d, 0)}
		if isMissingAwait(d) {
			r.Message += "\n  " + diagnostics.Did_you_forget_to_use_await.Localize(locale.Default)
		}
		if comparesIntegers(d) {
			r.Message += "\n  An integer of a result is a bigint beyond 2^53 only. Compare as in BigInt(value) === 1n."
		}
		if f := d.File(); f != nil && strings.HasPrefix(f.FileName(), folder) {
			r.File = nameOf(f)
			line, column := scanner.GetECMALineAndUTF16CharacterOfPosition(f, d.Pos())
			r.Line, r.Column = line+1, int(column)+1
			if about != nil && aboutIntl(d, f) {
				r.Message += intlAdvice
			}
			if about != nil {
				r.Subject = about(d)
			}
		}
		out = append(out, r)
	}
	return out
}

// nameOf returns the path of a module, or "" for the script itself.
func nameOf(f *ast.SourceFile) string {
	if f.FileName() == mainFile {
		return ""
	}
	return strings.TrimPrefix(f.FileName(), folder)
}

// advice is the start of the sentences in which tsc suggests libraries and packages, which a
// script cannot add.
const advice = " Do you need to "

// message returns the text of a diagnostic and of its explanations.
func message(d *ast.Diagnostic, depth int) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("  ", depth))
	text, _, _ := strings.Cut(d.Localize(locale.Default), advice)
	b.WriteString(text)
	for _, part := range d.MessageChain() {
		b.WriteByte('\n')
		b.WriteString(message(part, depth+1))
	}
	return b.String()
}
