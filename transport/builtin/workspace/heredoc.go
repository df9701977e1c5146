package workspace

import (
	"errors"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// command matches the first line of a patch in a here-document.
var command = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:cd\s|apply_?patch\b)`) })

// delimiter matches the operator of a here-document with the word that ends it.
var delimiter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<<(-?)\s*(?:'([^'\s]+)'|"([^"\s]+)"|([A-Za-z0-9_]+))`)
})

// maxCommand is the maximum length of the first line, in bytes. Only this line is parsed as shell.
const maxCommand = 4 << 10

// unwrap returns the text of a here-document of apply_patch, and the folder of a "cd"
// before the command. It returns any other text unchanged.
func unwrap(text string) (dir, patch string, err error) {
	head, body, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	head = strings.TrimSuffix(head, "\r")
	if !command().MatchString(head) || !strings.Contains(head, "<<") {
		return "", text, nil
	}
	if len(head) > maxCommand {
		return "", "", errors.New("the command before the patch is too long")
	}
	m := delimiter().FindStringSubmatch(head)
	if m == nil {
		return "", "", errors.New("the here-document of the patch has no delimiter such as 'EOF'")
	}
	word := m[2] + m[3] + m[4]
	if dir, err = applyCommand(head, word); err != nil {
		return "", "", err
	}
	patch, err = document(body, word, m[1] == "-")
	if err == nil && m[4] != "" && strings.ContainsAny(patch, "$`\\") {
		err = errors.New("a shell would expand this here-document; quote its delimiter: <<'" + word + "'")
	}
	return dir, patch, err
}

// document returns the lines before the delimiter.
func document(body, delimiter string, tabs bool) (string, error) {
	var out strings.Builder
	rest := body
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if tabs {
			line = strings.TrimLeft(line, "\t")
		}
		if strings.TrimSuffix(line, "\r") == delimiter {
			if strings.TrimSpace(rest) != "" {
				return "", errors.New("there is text after the here-document of the patch")
			}
			return out.String(), nil
		}
		out.WriteString(line)
		out.WriteByte('\n')
	}
	return "", errors.New("the here-document of the patch has no end: a line with only " + delimiter + " is missing")
}

var errCommand = errors.New(`the command before the patch must be: apply_patch <<'EOF', or: cd FOLDER && apply_patch <<'EOF'`)

// applyCommand checks the command line of a here-document, and returns the folder of its "cd", if any.
func applyCommand(head, delimiter string) (dir string, err error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(head+"\n"+delimiter+"\n"), "")
	if err != nil || len(file.Stmts) != 1 {
		return "", errCommand
	}
	stmt := file.Stmts[0]
	if both, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && both.Op == syntax.AndStmt && plain(stmt) && plain(both.X) {
		words, ok := literal(both.X)
		if !ok || len(words) != 2 || words[0] != "cd" || words[1] == "" {
			return "", errCommand
		}
		dir, stmt = words[1], both.Y
	}
	words, ok := literal(stmt)
	if !ok || len(words) != 1 || words[0] != "apply_patch" && words[0] != "applypatch" || len(stmt.Redirs) != 1 {
		return "", errCommand
	}
	if redirect := stmt.Redirs[0]; redirect.N != nil || redirect.Op != syntax.Hdoc && redirect.Op != syntax.DashHdoc {
		return "", errCommand
	}
	return dir, nil
}

func plain(s *syntax.Stmt) bool {
	return len(s.Redirs) == 0 && !s.Background && !s.Negated && !s.Coprocess
}

// literal returns the words of a simple command, or false if the shell would expand one of them.
func literal(s *syntax.Stmt) (words []string, ok bool) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || s.Background || s.Negated || s.Coprocess {
		return nil, false
	}
	for _, arg := range call.Args {
		word, ok := text(arg)
		if !ok {
			return nil, false
		}
		words = append(words, word)
	}
	return words, true
}

// text returns the text of a word, or false if the shell would expand it.
func text(w *syntax.Word) (string, bool) {
	if lit := w.Lit(); lit != "" {
		return lit, !strings.ContainsAny(lit, `\*?[~`)
	}
	if len(w.Parts) != 1 {
		return "", false
	}
	switch part := w.Parts[0].(type) {
	case *syntax.SglQuoted:
		return part.Value, !part.Dollar
	case *syntax.DblQuoted:
		if len(part.Parts) != 1 {
			return "", false
		}
		lit, ok := part.Parts[0].(*syntax.Lit)
		return litValue(lit, ok)
	default:
		return "", false
	}
}

func litValue(lit *syntax.Lit, ok bool) (string, bool) {
	if !ok || strings.Contains(lit.Value, `\`) {
		return "", false
	}
	return lit.Value, true
}
