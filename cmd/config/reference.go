package config

import (
	"fmt"
	"slices"
	"strings"
)

// piece is a part of a text: plain text, or a reference.
//
//	${NAME}, ${NAME:-default}  a variable of the environment; the default, which may have
//	                           references, stands for an empty value too, as in a shell
//	${env:NAME}                the same, as editors write it
//	${secret:NAME}             a secret
//	$${                        the text ${
//
// Whatever else begins with ${ is a mistake.
type piece struct {
	text string // as written
	kind pieceKind

	plain       string // what plain text stands for
	name        string // of the variable or secret
	fallback    string // the default
	hasFallback bool
	mistake     string
}

type pieceKind int

const (
	plainText pieceKind = iota
	variableReference
	secretReference
	wrongReference
)

// mostNesting is the maximum depth of nested defaults, because each level reads the inner ones again.
const mostNesting = 10

// pieces splits a text into its pieces.
func pieces(text string) []piece {
	var all []piece
	add := func(p piece) {
		if p.text != "" {
			all = append(all, p)
		}
	}
	for text != "" {
		at := strings.Index(text, "${")
		if at < 0 {
			add(piece{text: text, plain: text})
			break
		}
		if at > 0 && text[at-1] == '$' {
			add(piece{text: text[:at-1], plain: text[:at-1]})
			add(piece{text: text[at-1 : at+2], plain: "${"})
			text = text[at+2:]
			continue
		}
		add(piece{text: text[:at], plain: text[:at]})
		end, depth := closing(text, at)
		p := piece{text: text[at:end]}
		switch {
		case depth == 0:
			p.kind, p.mistake = wrongReference, "a reference that begins with ${ is not closed"
		case depth > mostNesting:
			p.kind, p.mistake = wrongReference, fmt.Sprintf("the defaults of a reference have more than %d levels", mostNesting)
		default:
			p.read()
		}
		if p.kind == wrongReference {
			p.mistake += "; the text ${ is written as $${"
		}
		add(p)
		text = text[end:]
	}
	return all
}

// closing returns the end of the reference that begins at a position, and its number of
// levels, or 0 if it is not closed. A default may contain references and escaped ones with
// their own braces. As in a shell, other braces do not count.
func closing(text string, at int) (end, levels int) {
	open := 0
	for i := at; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "${"):
			open++
			levels = max(levels, open)
			i++
		case text[i] == '}':
			if open--; open == 0 {
				return i + 1, levels
			}
		}
	}
	return len(text), 0
}

// read parses a reference that is closed.
func (p *piece) read() {
	inner := p.text[2 : len(p.text)-1]
	name, isSecret := strings.CutPrefix(inner, secretPrefix)
	if isSecret {
		p.kind, p.name = secretReference, name
		return
	}
	name, isEnv := strings.CutPrefix(inner, "env:")
	name, p.fallback, p.hasFallback = strings.Cut(name, ":-")
	p.kind, p.name = variableReference, name
	switch {
	case slices.Contains(editorReferences, name) && !p.hasFallback:
		p.kind, p.mistake = wrongReference, p.text+" is known to editors only; write the path: a relative cwd begins at the folder of this file, and the servers of a project run there"
	case name == "" || strings.ContainsAny(name, ":${") || !isEnv && !isVariable(name):
		p.kind, p.mistake = wrongReference, p.text+" is not understood; a variable is ${NAME} or ${NAME:-default}, a secret is ${secret:NAME}"
	}
}

// isVariable reports whether a text is a variable name in the form of shells, or of Windows
// as in ProgramFiles(x86). ${env:NAME} allows other names.
func isVariable(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '(' && c != ')') {
			return false
		}
	}
	return true
}

// editorReferences are the references of VS Code and other editors that have no prefix. No
// environment has variables of these names.
var editorReferences = []string{
	"workspaceFolder", "workspaceRoot", "workspaceFolderBasename", "userHome", "fileBasename", "fileDirname", "relativeFile", "pathSeparator",
}

// everyPiece returns the pieces of a text, including those of defaults.
func everyPiece(text string) (all []piece) {
	for _, p := range pieces(text) {
		all = append(append(all, p), everyPiece(p.fallback)...)
	}
	return all
}

// refersToSecret reports whether a text or one of its defaults refers to a secret.
func refersToSecret(text string) bool {
	return slices.ContainsFunc(everyPiece(text), func(p piece) bool { return p.kind == secretReference })
}
