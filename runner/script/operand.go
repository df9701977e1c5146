package script

// endsExpression reports whether the last token ends an expression.
func (s *scanner) endsExpression(t token) bool {
	last := len(s.tokens) - 1
	switch t.kind {
	case template: // its end, not the ${ before a substitution
		return s.src[t.end-1] == '`'
	case word:
		return !operatorWords[s.textAt(last)] || s.is(last-1, ".") || s.is(last-1, "?.")
	case punct:
		switch s.textAt(last) {
		case ")":
			return !s.closed.statement
		case "]", "}", "++", "--":
			return true
		case "!": // in TypeScript x! is an operand
			return s.operand && !t.newline
		}
		return false
	default:
		return true
	}
}

// startsRegex reports whether a slash starts a regular expression. After a closing brace
// it guesses: a block or an object may have ended.
func (s *scanner) startsRegex(newline bool) bool {
	last := len(s.tokens) - 1
	if s.is(last, "}") {
		return newline
	}
	return !s.operand
}

// operatorWords are the words after which an expression comes.
var operatorWords = set(
	"await", "case", "delete", "do", "else", "extends", "in", "instanceof", "new", "of", "return", "throw", "typeof",
	"void", "yield", "keyof", "as", "satisfies", "default",
)

// statementWords are the words after whose parentheses a statement comes.
var statementWords = set("if", "while", "for", "with")

func (s *scanner) afterStatementWord() bool {
	last := len(s.tokens) - 1
	if s.wordAt(last, "await") { // for await (…)
		last--
	}
	return last >= 0 && s.tokens[last].kind == word && statementWords[s.textAt(last)] && !s.is(last-1, ".")
}

// textAt returns the text of token i, or "" if there is no such token.
func (s *scanner) textAt(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.src[s.tokens[i].start:s.tokens[i].end]
}

// is reports whether token i is the given punctuation.
func (s *scanner) is(i int, punctuation string) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == punct && s.textAt(i) == punctuation
}

// wordAt reports whether token i is the given word.
func (s *scanner) wordAt(i int, name string) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == word && s.textAt(i) == name
}

func set(names ...string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, name := range names {
		out[name] = true
	}
	return out
}
