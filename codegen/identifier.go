package codegen

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Identifier is the camelCase name by which scripts reach a server or a tool
// called name. Different names may share one; Names keeps those apart.
//
// Letters of any script, their marks, digits and $ stay, everything else
// separates words. The result is never empty, contains _ only as its first or
// last character, never starts with a digit or $, and never changes how an
// object behaves (see behavioural).
func Identifier(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !partOfName(r) })
	var b strings.Builder
	for i, word := range words {
		if i == 0 {
			b.WriteString(lowerFirst(word))
		} else {
			b.WriteString(upperFirst(word))
		}
	}
	ident := b.String()
	first, _ := utf8.DecodeRuneInString(ident)
	switch {
	case ident == "":
		return "t"
	case behavioural[ident]:
		return ident + "_"
	case !unicode.IsLetter(first):
		return "_" + ident // a leading $ is the program's own, see Names
	}
	return ident
}

// behavioural are the members by which JavaScript treats an object specially.
// A tool called then would make its namespace awaitable, one called toJSON would
// be called by JSON.stringify(tools).
var behavioural = map[string]bool{
	"constructor": true, "hasOwnProperty": true, "isPrototypeOf": true, "propertyIsEnumerable": true, "prototype": true,
	"then": true, "toJSON": true, "toLocaleString": true, "toString": true, "valueOf": true,
}

// partOfName reports whether r may be inside an identifier. Characters that
// cannot be seen are left out, or two names could look the same.
func partOfName(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '$'
	}
	if unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Pattern_Syntax) {
		return r == '$'
	}
	return unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc)
}

// lowerFirst lowers the leading run of capitals, but not the last of them
// before a small letter: API becomes api, APIKey becomes apiKey.
func lowerFirst(word string) string {
	letters := []rune(word)
	run := 0
	for run < len(letters) && unicode.IsUpper(letters[run]) {
		run++
	}
	if run > 1 && run < len(letters) && unicode.IsLower(letters[run]) {
		run--
	}
	for i := range run {
		letters[i] = unicode.ToLower(letters[i])
	}
	return string(letters)
}

// upperFirst raises the first letter; of a word in capitals only that one stays
// a capital, so that API_KEY and api_key both become apiKey.
func upperFirst(word string) string {
	letters := []rune(word)
	if inCapitals(letters) {
		for i := range letters {
			letters[i] = unicode.ToLower(letters[i])
		}
	}
	letters[0] = unicode.ToUpper(letters[0])
	return string(letters)
}

func inCapitals(letters []rune) bool {
	return !slices.ContainsFunc(letters, unicode.IsLower)
}

// typePart is the PascalCase form of an identifier, for type names:
// _123test becomes _123Test.
func typePart(ident string) string {
	ident = strings.TrimSuffix(ident, "_") // then_ needs its _ as a property only
	at := strings.IndexFunc(ident, unicode.IsLetter)
	if at < 0 {
		return ident
	}
	r, size := utf8.DecodeRuneInString(ident[at:])
	return ident[:at] + string(unicode.ToUpper(r)) + ident[at+size:]
}

// plainKey reports whether key can be a property name without quotes.
func plainKey(key string) bool {
	for i := range len(key) {
		c := key[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
		if !letter && (i == 0 || c < '0' || '9' < c) {
			return false
		}
	}
	return key != ""
}
