package hook

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxCommand is the maximum length of a command that is parsed, in bytes.
const maxCommand = 64 << 10

// CommandAllowed reports whether a command consists of calls of toolscript in safe forms.
// Every word must be a fixed text, so that the shell runs only the words that are read here. The
// forms are:
//
//   - calls joined by && or ; or line breaks
//   - after a call, a pipe to head, tail, wc or jq without files
//   - before a call, a pipe from echo or printf
//   - 2>/dev/null, 2>&1 and a heredoc with a quoted delimiter
//
// program decides about the arguments of one call. Every other form, such as a
// variable, a substitution, a pattern, another redirection or a program named by a
// path, is not allowed. The same holds for text that does not parse.
func CommandAllowed(command string, program func(args []string) bool) bool {
	if len(command) > maxCommand || strings.ContainsAny(command, "\x00\r") {
		return false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) == 0 {
		return false
	}
	return !slices.ContainsFunc(file.Stmts, func(stmt *syntax.Stmt) bool { return !list(stmt, program) })
}

// list reports whether a statement is an allowed pipeline, or several joined by &&.
func list(stmt *syntax.Stmt, program func([]string) bool) bool {
	if and, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && and.Op == syntax.AndStmt {
		return plain(stmt) && len(stmt.Redirs) == 0 && list(and.X, program) && list(and.Y, program)
	}
	return pipeline(stmt, program)
}

// plain reports whether a statement has no &, ! or coprocess.
func plain(stmt *syntax.Stmt) bool {
	return !stmt.Background && !stmt.Coprocess && !stmt.Disown && !stmt.Negated
}

// pipeline accepts a call with an optional producer before it and filters after it.
func pipeline(stmt *syntax.Stmt, program func([]string) bool) bool {
	stages, ok := flatten(stmt, nil)
	if !ok {
		return false
	}
	if len(stages) > 1 && producer(stages[0]) {
		stages = stages[1:]
	}
	call := stages[0]
	if len(call) < 2 || call[0] != "toolscript" || !program(call[1:]) {
		return false
	}
	return !slices.ContainsFunc(stages[1:], func(stage []string) bool { return !filter(stage) })
}

// flatten returns the words of each stage of a pipeline.
func flatten(stmt *syntax.Stmt, stages [][]string) ([][]string, bool) {
	if !plain(stmt) {
		return nil, false
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		if cmd.Op != syntax.Pipe || len(stmt.Redirs) > 0 {
			return nil, false
		}
		stages, ok := flatten(cmd.X, stages)
		if !ok {
			return nil, false
		}
		return flatten(cmd.Y, stages)
	case *syntax.CallExpr:
		words, ok := fixed(cmd.Args)
		if !ok || len(words) == 0 || len(cmd.Assigns) > 0 || !safeRedirects(stmt.Redirs, words[0]) {
			return nil, false
		}
		return append(stages, words), true
	}
	return nil, false
}

// safeRedirects reports whether all redirects are 2>/dev/null, 2>&1, or for toolscript a
// heredoc whose text the shell does not expand.
func safeRedirects(redirects []*syntax.Redirect, program string) bool {
	for _, r := range redirects {
		word, ok := text(r.Word)
		if !ok {
			return false
		}
		var safe bool
		switch r.Op {
		case syntax.RdrOut:
			safe = r.N != nil && r.N.Value == "2" && word == "/dev/null"
		case syntax.DplOut:
			safe = r.N != nil && r.N.Value == "2" && word == "1"
		case syntax.Hdoc, syntax.DashHdoc:
			safe = r.N == nil && program == "toolscript" && quoted(r.Word) && literal(r.Hdoc)
		default: // every other operator reads or writes a file
		}
		if !safe {
			return false
		}
	}
	return true
}

// quoted reports whether every part of a word is in quotes.
func quoted(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if _, bare := part.(*syntax.Lit); bare {
			return false
		}
	}
	return len(word.Parts) > 0
}

// literal reports whether the text of a heredoc has no expansions.
func literal(hdoc *syntax.Word) bool {
	if hdoc == nil {
		return true
	}
	for _, part := range hdoc.Parts {
		if _, ok := part.(*syntax.Lit); !ok {
			return false
		}
	}
	return true
}
