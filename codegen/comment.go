package codegen

import (
	"strings"
	"unicode/utf8"
)

// Limits of a comment.
const (
	maxDescription = 8000 // characters of a description in the full form and the declarations
	maxLine        = 100  // maximum number of characters of a comment line
	maxExamples    = 3
)

// document writes the documentation of a schema called name: its description, and the
// constraints in rules. That of a tool is written by toolWriter.documentation.
func (p *printer) document(name string, schema, rules *value) {
	if p.style == bare || !schema.is(object) {
		return
	}
	lines := describedLines(told(schema, name), p.describe)
	if schema.get("deprecated").isTrue() {
		lines = append(lines, "@deprecated")
	}
	switch {
	case p.style != line:
		lines = appendConstraints(appendTag(lines, "default", schema.get("default")), schema, rules)
	case p.input:
		lines = appendHelp(lines, schema.get("default"), rules)
	}
	p.comment(lines)
}

// told returns the description or the title of a schema. It returns "" for a text that only repeats name.
func told(schema *value, name string) string {
	for _, keyword := range []string{"description", "title"} {
		if text := schema.get(keyword).str(); strings.TrimSpace(text) != "" && !repeats(text, name) {
			return text
		}
	}
	return ""
}

// appendConstraints adds the annotations of schema, and the constraints in rules.
func appendConstraints(lines []string, schema, rules *value) []string {
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
		lines = appendTag(lines, name, rules.get(name))
	}
	return lines
}

// constraints are the keywords that restrict a value without changing its type.
var constraints = []string{
	"format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "multipleOf", "contentEncoding", "contentMediaType",
}

// appendTag adds a keyword and its value: as plain text for keywords whose values are
// always strings, otherwise as JSON. It leaves out values that are too large.
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

// describedLines returns the lines of a server's description, made safe and wrapped. A
// text of more than about limit characters is cut at the end of a sentence or word.
func describedLines(description string, limit int) []string {
	if limit <= 0 {
		return nil
	}
	// Text that will be cut needs no cleaning. Three times the limit leaves room for
	// the characters that clean removes.
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

// commented returns the lines of a cleaned text, made safe and wrapped.
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

// sentences cuts a shortened text after its last whole sentence if at least half of the text
// remains, and otherwise after its last whole word.
func sentences(s string) string {
	end := max(strings.LastIndex(s, ". "), strings.LastIndex(s, ".\n"), strings.LastIndex(s, "\n\n"))
	if end < len(s)/2 {
		return strings.TrimRight(s, " \n.,;:")
	}
	return strings.TrimRight(s[:end+1], "\n ")
}

// cutAfter returns at most limit characters of s. It ends with a whole word if one
// ends near the limit.
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

// wrap breaks a line at spaces. A word longer than a line stays whole.
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

// comment writes safe lines as a JSDoc comment.
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

// onOneLine joins lines with single spaces, so that two lines together cannot end the
// comment.
func onOneLine(lines []string) string {
	return strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
}

// firstOf returns the first text that is not blank.
func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
