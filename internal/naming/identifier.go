package naming

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Identifier returns the camelCase name by which scripts reach a server or tool.
// Different names may have equal identifiers; Names makes them unique.
//
// Letters of any script, their marks, digits and $ stay. All other characters separate
// words. The result is never empty, has _ only as its first or last character, does not
// start with a digit or $, and is not one of behavioural.
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
		return "_" + ident // a leading $ is reserved, see Names
	}
	return ident
}

// behavioural has the names of members that JavaScript itself uses: a tool with the name then would
// make its server awaitable, and JSON.stringify(tools) would call a tool with the name toJSON.
var behavioural = map[string]bool{
	"constructor": true, "hasOwnProperty": true, "isPrototypeOf": true, "propertyIsEnumerable": true, "prototype": true,
	"then": true, "toJSON": true, "toLocaleString": true, "toString": true, "valueOf": true,
}

// partOfName reports whether r may be part of an identifier. Invisible characters may not,
// because different names would look the same.
func partOfName(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '$'
	}
	if unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Pattern_Syntax) {
		return r == '$'
	}
	return unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc)
}

// lowerFirst lowers the leading capitals, except the last one before a small letter:
// API becomes api, APIKey becomes apiKey.
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

// upperFirst raises the first letter. It lowers the other letters of a word in
// capitals, so that API_KEY and api_key both become apiKey.
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

// TypeName returns the PascalCase form of an identifier: _123test becomes _123Test.
func TypeName(ident string) string {
	ident = strings.TrimSuffix(ident, "_") // only the property needs the _ of then_
	at := strings.IndexFunc(ident, unicode.IsLetter)
	if at < 0 {
		return ident
	}
	r, size := utf8.DecodeRuneInString(ident[at:])
	return ident[:at] + string(unicode.ToUpper(r)) + ident[at+size:]
}
