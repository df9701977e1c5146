package codegen

import (
	"strings"
	"unicode/utf8"
)

// Limits of a comment.
const (
	maxDescription = 8000 // characters kept of a description in the full forms
	maxLine        = 100  // characters after which a line of a comment is wrapped
	maxExamples    = 3
)

// document writes what a schema says about its values beside their type.
func (p *printer) document(schema *value) {
	if p.style == bare || !schema.is(object) {
		return
	}
	p.comment(docLines(schema, p.describe, p.style == line))
}

// docLines are the lines of a comment about a schema. brief leaves out what
// only checks can use: of the constraints, a reader who has the type needs the
// default.
func docLines(schema *value, describe int, brief bool) []string {
	lines := describedLines(firstOf(schema.get("description").str(), schema.get("title").str()), describe)
	if schema.get("deprecated").isTrue() {
		lines = append(lines, "@deprecated")
	}
	lines = appendTag(lines, "default", schema.get("default"))
	if brief {
		return lines
	}
	if schema.get("readOnly").isTrue() {
		lines = append(lines, "@readonly")
	}
	if schema.get("writeOnly").isTrue() {
		lines = append(lines, "Write-only.")
	}
	for i, example := range schema.list("examples") {
		if i == maxExamples {
			break
		}
		lines = appendTag(lines, "example", example)
	}
	for _, name := range constraints {
		lines = appendTag(lines, name, schema.get(name))
	}
	return lines
}

// constraints are the keywords that narrow a value without changing its type.
var constraints = []string{
	"format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "multipleOf", "contentEncoding", "contentMediaType",
}

// appendTag adds a keyword with its value as JSON, or as plain text where the
// keyword is a string by nature. A value too large to be written is left out.
func appendTag(lines []string, name string, v *value) []string {
	if v == nil {
		return lines
	}
	var written string
	switch name {
	case "format", "pattern", "contentEncoding", "contentMediaType":
		if written = v.str(); len(written) > maxLiteralBytes {
			return lines
		}
	default:
		var b strings.Builder
		if !writeLiteral(&b, v, 0, asJSON) {
			return lines
		}
		written = b.String()
	}
	if written = strings.ReplaceAll(clean(written), "\n", " "); written == "" {
		return lines
	}
	return append(lines, "@"+name+" "+closed(written))
}

// describedLines are the lines of a description of a server, made safe, cut
// after about limit characters at the end of a word, and wrapped.
func describedLines(description string, limit int) []string {
	if limit <= 0 {
		return nil
	}
	// Only what may be kept is cleaned; three times that leaves room for what
	// cleaning takes out.
	description = clean(cutAfter(description, 3*limit))
	if description == "" {
		return nil
	}
	shortened := cutAfter(description, limit)
	if len(shortened) < len(description) {
		shortened = sentences(shortened) + " …"
	}
	return commented(shortened)
}

// commented are the lines of a cleaned text, made safe and wrapped.
func commented(s string) []string {
	if len(s) <= maxLine && strings.IndexByte(s, '\n') < 0 {
		return []string{inComment(s)}
	}
	var lines []string
	for paragraph := range strings.SplitSeq(s, "\n") {
		for _, l := range wrap(paragraph) {
			lines = append(lines, inComment(l))
		}
	}
	return lines
}

// sentences is a shortened text up to the end of its last whole sentence, where
// that keeps half of it, else up to its last word.
func sentences(s string) string {
	end := max(strings.LastIndex(s, ". "), strings.LastIndex(s, ".\n"), strings.LastIndex(s, "\n\n"))
	if end < len(s)/2 {
		return strings.TrimRight(s, " \n.,;:")
	}
	return strings.TrimRight(s[:end+1], "\n ")
}

// cutAfter is at most limit characters of s, ending with a whole word if one is
// near.
func cutAfter(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	end := 0
	for range limit {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	if blank := strings.LastIndexAny(s[:end], " \n"); blank > end*3/4 {
		end = blank
	}
	return s[:end]
}

// wrap breaks a line at blanks. A word longer than a line stays whole.
func wrap(s string) []string {
	if utf8.RuneCountInString(s) <= maxLine {
		return []string{s}
	}
	var lines []string
	var current strings.Builder
	for word := range strings.FieldsSeq(s) {
		if current.Len() > 0 && utf8.RuneCountInString(current.String())+utf8.RuneCountInString(word) >= maxLine {
			lines = append(lines, current.String())
			current.Reset()
		}
		if current.Len() > 0 {
			current.WriteByte(' ')
		}
		current.WriteString(word)
	}
	return append(lines, current.String())
}

// comment writes lines, which are safe already, as JSDoc.
func (p *printer) comment(lines []string) {
	switch {
	case len(lines) == 0:
		return
	case p.style == line:
		p.out.WriteString("/** ")
		p.out.WriteString(onOneLine(lines))
		p.out.WriteString(" */ ")
		return
	case len(lines) == 1:
		p.out.WriteString("/** ")
		p.out.WriteString(lines[0])
		p.out.WriteString(" */\n")
		p.tabs()
		return
	}
	p.out.WriteString("/**\n")
	for _, l := range lines {
		p.tabs()
		p.out.WriteString(strings.TrimRight(" * "+l, " "))
		p.out.WriteByte('\n')
	}
	p.tabs()
	p.out.WriteString(" */\n")
	p.tabs()
}

// onOneLine joins lines with single blanks, so that no two of them can make up
// the end of a comment.
func onOneLine(lines []string) string {
	return strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
}

// firstOf is the first text that is not blank.
func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
