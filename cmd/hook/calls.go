package hook

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shells are programs that run a text as a command.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "eval"}

// maxInner is the maximum depth of shells within shells that CallsIn reads.
const maxInner = 3

// CallsIn returns the arguments of every call of toolscript that a command contains in any form:
// behind another program, with variables of the environment, in a subshell, or in the text of a
// shell. A word that a shell expands is "". An empty result does not prove that there is no call.
func CallsIn(command string) [][]string { return calls(command, maxInner) }

func calls(command string, depth int) (found [][]string) {
	if len(command) > maxCommand || depth == 0 || !strings.Contains(command, "toolscript") {
		return nil
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok {
			words := make([]string, len(call.Args))
			for i, word := range call.Args {
				words[i], _ = text(word)
			}
			found = append(found, called(words, depth)...)
		}
		return true
	})
	return found
}

// called returns the calls of toolscript in the words of one command.
func called(words []string, depth int) (found [][]string) {
	for i, word := range words {
		switch name := path.Base(word); {
		case name == "toolscript", name == "toolscript.exe", name == "toolscript.cmd":
			return append(found, words[i+1:])
		case slices.Contains(shells, name):
			for _, inner := range words[i+1:] {
				found = append(found, calls(inner, depth-1)...)
			}
			return found
		}
	}
	return nil
}
