package script

// endsExpression reports whether the token just added ends an expression. It
// keeps no more than one token of history: a chain such as x!!!!… stays linear.
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
		case "!": // of TypeScript: x! is an operand where x is
			return s.operand && !t.newline
		}
		return false
	default:
		return true
	}
}

// startsRegex decides what a slash is. After a closing brace only a parser
// knows whether a block ended or an object, and after some words whether they
// are operators or names.
func (s *scanner) startsRegex(newline bool) bool {
	last := len(s.tokens) - 1
	if s.is(last, "}") {
		s.unsure = true
		return newline
	}
	if last >= 0 && s.tokens[last].kind == word && contextualWords[s.textAt(last)] {
		s.unsure = true
	}
	return !s.operand
}

// operatorWords are the words that an expression follows.
var operatorWords = set(
	"await", "case", "delete", "do", "else", "extends", "in", "instanceof", "new", "of", "return", "throw", "typeof",
	"void", "yield", "keyof", "as", "satisfies", "default",
)

var contextualWords = set("await", "yield", "of", "keyof", "as", "satisfies")

// statementWords are the words whose parentheses a statement follows.
var statementWords = set("if", "while", "for", "with")

func (s *scanner) afterStatementWord() bool {
	last := len(s.tokens) - 1
	if s.wordAt(last, "await") { // for await (…)
		last--
	}
	return last >= 0 && s.tokens[last].kind == word && statementWords[s.textAt(last)] && !s.is(last-1, ".")
}

// textAt is the text of a token, and "" where there is none.
func (s *scanner) textAt(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.src[s.tokens[i].start:s.tokens[i].end]
}

// is reports whether token i is this punctuation.
func (s *scanner) is(i int, punctuation string) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == punct && s.textAt(i) == punctuation
}

// wordAt reports whether token i is this word.
func (s *scanner) wordAt(i int, name string) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == word && s.textAt(i) == name
}

// stringAt is the text between the quotes of token i.
func (s *scanner) stringAt(i int) (string, bool) {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].kind != text {
		return "", false
	}
	quoted := s.textAt(i)
	if len(quoted) < 2 {
		return "", false
	}
	return quoted[1 : len(quoted)-1], true
}

func set(names ...string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, name := range names {
		out[name] = true
	}
	return out
}
