package answer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/harness/answer"
)

// shownPieces writes the blocks of a message: the code of a script, or the problem and place
// of a malformed block.
func shownPieces(pieces []answer.Piece) []string {
	out := []string{}
	for _, p := range pieces {
		switch p.Kind {
		case answer.PieceText:
		case answer.PieceScript:
			out = append(out, p.Code)
		default:
			out = append(out, fmt.Sprintf("%s: %s", p.At, p.Problem))
		}
	}
	return out
}

// detect returns the pieces of a whole message. Pieces of text are never adjacent.
func detect(message string) []answer.Piece {
	var d answer.Detector
	return answer.Join(append(d.Write([]byte(message)), d.Close()...))
}

func block(code string) string { return "<tool-calls>" + code + "</tool-calls>" }

const fences = "```"

func TestDetection(t *testing.T) {
	long := strings.Repeat("\n", 40)
	tests := []struct {
		name, message string
		want          []string
	}{
		{"no tags", "I'll fix the tests", nil},
		{"empty", "", nil},
		{"one block", "Let me fix the tests.\n" + block("\nreturn 1\n") + "\nI found 3 failing tests.", []string{"return 1"}},
		{"multiple blocks", block("a") + " and " + block("b") + block("c"), []string{"a", "b", "c"}},
		{"empty block", block(""), []string{""}},
		{"block of white space", block(" \n\t"), []string{""}},
		{"CRLF", "Text.\r\n\r\n" + block("\r\nreturn 1\r\n") + "\r\n", []string{"return 1"}},
		{"indented", "    " + block("return 1"), []string{"return 1"}},
		{"in a list item", "- " + block("return 1") + "\n1. " + block("return 2"), []string{"return 1", "return 2"}},
		{"in a block quote", "> " + block("return 1"), []string{"return 1"}},

		{"tag names are case-sensitive", "<Tool-Calls>a</Tool-Calls> <TOOL-CALLS>b</TOOL-CALLS>", nil},
		{"tags have no attributes", `<tool-calls lang="ts">a</tool-calls>`, nil},
		{"tags have no space", "<tool-calls >a</tool-calls> < tool-calls>b</tool-calls>", nil},
		{"tag names are exact", "<tool-call>a</tool-call> <tool_calls>b</tool_calls> <tool-callss>", nil},
		{"self-closing tag", "<tool-calls/>", nil},
		{"entity", "&lt;tool-calls&gt;a&lt;/tool-calls&gt;", nil},
		{"escaped tag", `\<tool-calls>a</tool-calls>`, nil},
		{"tag after an escaped backslash", `\\` + block("a"), []string{"a"}},
		{"a closing tag alone", "a</tool-calls>b " + block("c"), []string{"c"}},
		{"closing tag with space in a block", "<tool-calls>a</tool-calls ></tool-calls>", []string{"a</tool-calls >"}},
		{"half a tag before a tag", "<tool-<tool-calls>a</tool-calls>", []string{"a"}},
		{"angle brackets before a tag", "<<<" + block("a < b"), []string{"a < b"}},

		{"fence", fences + "\n" + block("a") + "\n" + fences + "\n" + block("b"), []string{"b"}},
		{"fence with an info string", fences + "ts title=\"a\"\n" + block("a") + "\n" + fences + "\n", nil},
		{"fence of tildes", "~~~\n" + block("a") + "\n~~~\n" + block("b"), []string{"b"}},
		{"backticks in a fence of tildes", "~~~ ` \n" + fences + "\n" + block("a") + "\n~~~\n" + block("b"), []string{"b"}},
		{"longer fence around a fence", "`" + fences + "md\n" + fences + "\n" + block("a") + "\n" + fences + "\n" + block("b") + "\n`" + fences + "\n" + block("c"), []string{"c"}},
		{"fence closed by a longer run", fences + "\na\n`" + fences + "\n" + block("b"), []string{"b"}},
		{"fence not closed by a run with text", fences + "\n" + fences + "ts\n" + block("a") + "\n" + fences + "\n" + block("b"), []string{"b"}},
		{"fence not closed by an indented run", fences + "md\n1. a\n     " + fences + "\n" + block("a") + "\n     " + fences + "\n" + fences + "\n" + block("b"), []string{"b"}},
		{"unclosed fence", fences + "\n" + block("a"), nil},
		{"fence with CRLF", fences + "\r\n" + block("a") + "\r\n" + fences + "\r\n" + block("b"), []string{"b"}},
		{"fence in a list", "1. a\n   " + fences + "\n   " + block("a") + "\n   " + fences + "\n" + block("b"), []string{"b"}},
		{"fence that begins a list item", "- " + fences + "\n  " + block("a") + "\n  " + fences + "\n" + block("b"), []string{"b"}},
		{"fence in a block quote", "> " + fences + "\n> " + block("a") + "\n> " + fences + "\n" + block("b"), []string{"b"}},
		{"fence that ends with its block quote", "> " + fences + "\n> " + block("a") + "\n\n" + block("b"), []string{"b"}},
		{"quoted line in a fence", fences + "\n> " + fences + "\n" + block("a") + "\n" + fences + "\n" + block("b"), []string{"b"}},
		{"tag in an info string", fences + " " + block("a") + "\n" + fences, nil},
		{"three backticks in a line", "a " + fences + block("a") + fences + " " + block("b"), []string{"b"}},
		{"line of code that begins with three backticks", fences + " " + block("a") + fences + " " + block("b"), []string{"b"}},

		{"inline code", "`" + block("a") + "` " + block("b"), []string{"b"}},
		{"inline code with two backticks", "``" + block("`a`") + "`` " + block("b"), []string{"b"}},
		{"inline code around the opening tag", "write `<tool-calls>` and `</tool-calls>` around it", nil},
		{"inline code over a line end", "`a\n" + block("a") + "` " + block("b"), []string{"b"}},
		{"a backtick alone", "a ` b " + block("return 1") + " c", []string{"return 1"}},
		{"inline code ends with its paragraph", "a ` b\n\n" + block("return `x`"), []string{"return `x`"}},
		{"inline code ends at a list item", "a ` b\n- " + block("return `x`"), []string{"return `x`"}},
		{"inline code ends at a fence", "a ` b\n" + fences + "\n`\n" + fences + "\n" + block("return `x`"), []string{"return `x`"}},
		{"runs of other lengths do not close", "`` a ` b " + block("return 1"), []string{"return 1"}},
		{"escaped backtick", "\\` " + block("return `a`"), []string{"return `a`"}},
		{"backslash in inline code", "`\\` " + block("a") + " `", []string{"a"}},
		{"text in quotes runs", `he said "` + block("a") + `"`, []string{"a"}},

		{"tags in a string", block(`return "</tool-calls>" + '<tool-calls>'`), []string{`return "</tool-calls>" + '<tool-calls>'`}},
		{"tags in a template", block("return `</tool-calls>${`<tool-calls>`}</tool-calls>`"), []string{"return `</tool-calls>${`<tool-calls>`}</tool-calls>`"}},
		{"tags in a line comment", block("// </tool-calls> <tool-calls>\nreturn 1"), []string{"// </tool-calls> <tool-calls>\nreturn 1"}},
		{"tags in a block comment", block("/* </tool-calls>\n<tool-calls> */ return 1"), []string{"/* </tool-calls>\n<tool-calls> */ return 1"}},
		{"tag in a regular expression", block(`return /[</tool-calls>"]/.test(a)`), []string{`return /[</tool-calls>"]/.test(a)`}},
		{"quote in a regular expression", block(`a.replace(/["'` + "`" + `]/g, "")`), []string{`a.replace(/["'` + "`" + `]/g, "")`}},
		{"quote after a division", block(`const a = b / 2, c = (d) / "2"`), []string{`const a = b / 2, c = (d) / "2"`}},
		{"regular expression after a condition", block(`if (a) /["]/.test(b)`), []string{`if (a) /["]/.test(b)`}},
		{"division after ++ and !", block(`a++ / "1"; b! / "2"; ({}) / "3"; x[0] / "4"`), []string{`a++ / "1"; b! / "2"; ({}) / "3"; x[0] / "4"`}},
		{"division after a member with the name of a keyword", block(`a.return / "1"`), []string{`a.return / "1"`}},
		{"escaped quotes", block(`return "\"</tool-calls>\\" + '\'<tool-calls>'`), []string{`return "\"</tool-calls>\\" + '\'<tool-calls>'`}},
		{"string over an escaped line end", block("return \"a\\\r\n</tool-calls>\""), []string{"return \"a\\\r\n</tool-calls>\""}},
		{"braces in a template", block("`${{a: '}'}.a}</tool-calls>`"), []string{"`${{a: '}'}.a}</tool-calls>`"}},
		{"unfinished string ends with its line", block("it's\nreturn 1"), []string{"it's\nreturn 1"}},
		{"comment ends at U+2028", block("// a\u2028return 1"), []string{"// a\u2028return 1"}},
		{"hash-bang", block("#!/usr/bin/env it's\nreturn 1"), []string{"#!/usr/bin/env it's\nreturn 1"}},
		{"tags in JSON", block(`return {"a": "</tool-calls>"}`), []string{`return {"a": "</tool-calls>"}`}},

		{"a fence around the code", block("\n" + fences + "ts\nreturn 1\n" + fences + "\n"), []string{"return 1"}},
		{"a fence of tildes around the code", block("\n~~~\nreturn 1\n~~~\n"), []string{"return 1"}},
		{"a fence around the code with CRLF", block("\r\n" + fences + "typescript\r\nreturn 1\r\n" + fences + "\r\n"), []string{"return 1"}},
		{"a fence that ends in the line of the tag", block(fences + "\nreturn 1\n" + fences), []string{"return 1"}},
		{"a fence around code with a template", block(fences + "\nreturn `a\n`\n" + fences + "\n"), []string{"return `a\n`"}},
		{"a fence around code with a longer fence", block("`" + fences + "\nreturn `a`\n`" + fences + "\n"), []string{"return `a`"}},
		{"a hash-bang in a fence", block(fences + "\n#!it's\nreturn 1\n" + fences), []string{"#!it's\nreturn 1"}},
		{"text after the fence belongs to the script", block(fences + "\nreturn 1\n" + fences + "\nmore"), []string{fences + "\nreturn 1\n" + fences + "\nmore"}},
		{"an empty fence", block(fences + "\n" + fences), []string{""}},

		{"a second opening tag", "x\n" + block("a <tool-calls> b") + "\n" + block("c"), []string{"2:15: a second <tool-calls> comes before </tool-calls>", "c"}},
		{"no closing tag", "x\n\n  <tool-calls>return 1", []string{"3:3: no </tool-calls> follows"}},
		{"no closing tag after a good block", block("a") + "<tool-calls>", []string{"a", "1:27: no </tool-calls> follows"}},
		{"closing tag in an unfinished template", "<tool-calls>\nreturn `a</tool-calls>", []string{"1:1: no </tool-calls> follows: the template that begins at 2:8 does not end, and a tag in it belongs to the script"}},
		{"closing tag in a substitution of an unfinished template", "<tool-calls>`${ '</tool-calls>", []string{"1:1: no </tool-calls> follows: the template that begins at 1:13 does not end, and a tag in it belongs to the script"}},
		{"closing tag in an unfinished comment", "<tool-calls>/* </tool-calls>", []string{"1:1: no </tool-calls> follows: the comment that begins at 1:13 does not end, and a tag in it belongs to the script"}},
		{"half a closing tag", "<tool-calls>return 1</tool-cal", []string{"1:1: no </tool-calls> follows"}},
		{"half an opening tag", "<tool-cal", nil},
		{"brackets without end", block(strings.Repeat("(", 20_000)) + block("a"), []string{"1:10013: the script nests too deep", "a"}},
		{"columns are UTF-16 units", "😀é" + "<tool-calls>", []string{"1:4: no </tool-calls> follows"}},
		{"lines of all kinds", "a\rb\r\nc\n<tool-calls>", []string{"4:1: no </tool-calls> follows"}},
		{"many lines", long + "<tool-calls>", []string{"41:1: no </tool-calls> follows"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.want == nil {
				test.want = []string{}
			}
			if diff := cmp.Diff(test.want, shownPieces(detect(test.message))); diff != "" {
				t.Errorf("blocks of %q (-want +got):\n%s", test.message, diff)
			}
			sameInParts(t, test.message, 1)
			sameInParts(t, test.message, 7)
		})
	}
}

// TestSurroundingTextPreserved checks the text before, between and after blocks, and all
// positions.
func TestSurroundingTextPreserved(t *testing.T) {
	message := "Erst\u00a0😀.\r\n<tool-calls>\n  return 1\n</tool-calls>\n mid <tool-calls>x</tool-calls>\tend \n\n"
	pieces := detect(message)
	want := []answer.Piece{
		{Kind: answer.PieceText, Raw: "Erst\u00a0😀.\r\n", Start: at(0, 1, 1), End: at(13, 2, 1)},
		{Kind: answer.PieceScript, Raw: "<tool-calls>\n  return 1\n</tool-calls>", Start: at(13, 2, 1), End: at(50, 4, 14), Code: "return 1", CodeStart: at(28, 3, 3)},
		{Kind: answer.PieceText, Raw: "\n mid ", Start: at(50, 4, 14), End: at(56, 5, 6)},
		{Kind: answer.PieceScript, Raw: "<tool-calls>x</tool-calls>", Start: at(56, 5, 6), End: at(82, 5, 32), Code: "x", CodeStart: at(68, 5, 18)},
		{Kind: answer.PieceText, Raw: "\tend \n\n", Start: at(82, 5, 32), End: at(89, 7, 1)},
	}
	if diff := cmp.Diff(want, pieces); diff != "" {
		t.Errorf("pieces (-want +got):\n%s", diff)
	}
}

func at(offset, line, column int) answer.Position {
	return answer.Position{Offset: offset, Line: line, Column: column}
}

// TestFoundAsItCompletes checks that Write returns a block as soon as its closing tag is
// complete, and the text before an incomplete tag at once.
func TestFoundAsItCompletes(t *testing.T) {
	var d answer.Detector
	steps := []struct {
		text string
		want []string // Raw of the pieces
	}{
		{"Let me look. <tool", []string{"Let me look. "}},
		{"-ca", nil},
		{"lls>return 1</tool-calls", nil},
		{">", []string{"<tool-calls>return 1</tool-calls>"}},
		{" and <tool-call", []string{" and "}},
		{"ing> ", []string{"<tool-calling> "}},
		{"<tool-calls>2</tool-calls>three", []string{"<tool-calls>2</tool-calls>", "three"}},
		{"\n- <tool-calls>4</tool-calls>", []string{"\n- ", "<tool-calls>4</tool-calls>"}},
	}
	for _, step := range steps {
		var got []string
		for _, p := range d.Write([]byte(step.text)) {
			got = append(got, p.Raw)
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("after %q (-want +got):\n%s", step.text, diff)
		}
	}
	if rest := d.Close(); len(rest) > 0 {
		t.Errorf("at the end: %v", rest)
	}
}

// TestPositionsContinue checks a second text of a message.
func TestPositionsContinue(t *testing.T) {
	d := answer.NewDetector(at(10, 3, 4))
	pieces := append(d.Write([]byte("a\n"+block("b"))), d.Close()...)
	if got := pieces[1].CodeStart; got != at(24, 4, 13) {
		t.Errorf("code begins at %+v", got)
	}
}

// TestHostileText checks that costly texts take time in proportion to their length, even if
// they arrive byte by byte. A detector with quadratic time would need hours.
func TestHostileText(t *testing.T) {
	const size, small = 10 << 20, 64 << 10
	fill := func(part string) string { return strings.Repeat(part, size/len(part)) }
	distinct := func() string {
		var s strings.Builder
		for n := 1; s.Len() < size; n++ {
			s.WriteString(strings.Repeat("`", n) + " ")
		}
		return s.String()
	}
	for name, message := range map[string]string{
		"angle brackets":       fill("<"),
		"half tags":            fill("<tool-calls"),
		"closing tags":         fill("</tool-calls>"),
		"backticks":            fill("`"),
		"pairs of backticks":   fill("` `` "),
		"distinct runs":        distinct(),
		"spaces":               fill(" "),
		"block quotes":         fill(">"),
		"list markers":         fill("- "),
		"fences":               fill("```\n~~~\n"),
		"one line of a fence":  "```" + fill("a"),
		"backslashes":          fill("\\"),
		"blocks":               fill("<tool-calls></tool-calls>"),
		"opening tags":         fill("<tool-calls>"),
		"templates":            "<tool-calls>" + fill("`${"),
		"one template":         "<tool-calls>`" + fill("$"),
		"one word":             "<tool-calls>" + fill("a"),
		"one comment":          "<tool-calls>/*" + fill("*"),
		"slashes":              "<tool-calls>" + fill("/ "),
		"lines in a block":     "<tool-calls>```\n" + fill("`` \n"),
		"tags behind backtick": "`" + fill("<tool-calls>\n"),
		"no UTF-8":             "<tool-calls>//" + fill("\xE2\x80"),
	} {
		t.Run(name, func(t *testing.T) {
			if got := concatenated(detect(message)); got != message {
				t.Error("the pieces are not the message")
			}
			var d answer.Detector
			rest := message[:small]
			for i := range len(rest) {
				for _, p := range d.Write([]byte(rest[i : i+1])) {
					if !strings.HasPrefix(rest[p.Start.Offset:], p.Raw) {
						t.Fatalf("at %d: %.50q", p.Start.Offset, p.Raw)
					}
				}
			}
			d.Close()
		})
	}
}

// inParts detects the blocks of a message that arrives in parts of some bytes.
func inParts(message string, size int) []answer.Piece {
	var d answer.Detector
	var pieces []answer.Piece
	for len(message) > 0 {
		n := min(size, len(message))
		pieces = append(pieces, d.Write([]byte(message[:n]))...)
		message = message[n:]
	}
	return append(pieces, d.Close()...)
}

func concatenated(pieces []answer.Piece) string {
	var all strings.Builder
	for _, p := range pieces {
		all.WriteString(p.Raw)
	}
	return all.String()
}

func sameInParts(t *testing.T, message string, size int) {
	t.Helper()
	whole := detect(message)
	if got := concatenated(whole); got != message {
		t.Errorf("the pieces of %q are %q", message, got)
	}
	if diff := cmp.Diff(whole, answer.Join(inParts(message, size))); diff != "" {
		t.Errorf("%q in parts of %d (-whole +parts):\n%s", message, size, diff)
	}
}

// FuzzDetector checks that the pieces do not depend on how a message is split, and that together
// they are the message.
func FuzzDetector(f *testing.F) {
	for _, seed := range []string{
		"a " + block("return 1") + " b", "`" + block("a") + "`", fences + "\n" + block("a") + "\n" + fences + "\n", block(fences + "ts\na\n" + fences),
		"<tool-calls>`${'</tool-calls>'}`//</tool-calls>\n/a[/]b/\\\r\n</tool-calls>", "> ~~~\n> a\n\n- `x\n1. y`", "\\`\\<tool-calls>", "// \u2028\xE2\x80",
	} {
		f.Add(seed, uint16(0))
		f.Add(seed, uint16(12345))
	}
	f.Fuzz(func(t *testing.T, message string, seed uint16) {
		sameInParts(t, message, 1)
		sameInParts(t, message, 1+int(seed%31))
		end := answer.Position{Line: 1, Column: 1}
		for _, p := range detect(message) {
			if p.Start != end {
				t.Errorf("%q: a piece begins at %+v, the one before ended at %+v", message, p.Start, end)
			}
			end = p.End
			if p.Kind == answer.PieceScript {
				at := p.CodeStart.Offset
				if message[at:at+len(p.Code)] != p.Code {
					t.Errorf("%q: the code %q is not at %d", message, p.Code, at)
				}
			}
		}
	})
}

func BenchmarkDetector(b *testing.B) {
	text := strings.Repeat("The tests fail because `validate` reads the **wrong** header, see [auth.ts](src/auth.ts).\nI fix it.\n\n", 10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		detect(text)
	}
}
