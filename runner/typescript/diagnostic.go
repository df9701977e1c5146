package shim

import (
	"strconv"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/diagnostics"
	"github.com/microsoft/typescript-go/internal/locale"
	"github.com/microsoft/typescript-go/internal/scanner"
)

// Diagnostic is one finding, in tsc's own words.
type Diagnostic struct {
	Line, Column int    // from 1; columns in UTF-16 units
	Code         string // as tsc prints it: TS2322
	Message      string // later lines are indented two blanks a level

	// Of TS2339, where tsc itself knows no name that is near: the property that
	// does not exist, and the interface of the module that it was looked for in.
	Property, Interface string
}

// noProperty is TS2339: Property '{0}' does not exist on type '{1}'.
var noProperty = diagnostics.Property_0_does_not_exist_on_type_1.Code()

func report(found []*ast.Diagnostic) []Diagnostic {
	var out []Diagnostic
	for _, d := range found {
		r := Diagnostic{Line: 1, Column: 1, Code: "TS" + strconv.Itoa(int(d.Code())), Message: message(d, 0)}
		if args := d.MessageArgs(); d.Code() == noProperty && len(args) == 2 {
			r.Property, r.Interface = args[0], args[1]
		}
		if f := d.File(); f != nil && f.FileName() == mainFile {
			line, column := scanner.GetECMALineAndUTF16CharacterOfPosition(f, d.Pos())
			r.Line, r.Column = line+1, int(column)+1
		}
		out = append(out, r)
	}
	return out
}

// advice begins what tsc says about libraries and packages to add, which a
// script cannot do.
const advice = " Do you need to "

// message is the text of a diagnostic and of those that explain it.
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
