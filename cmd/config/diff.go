package config

import "strings"

// diffContext is the number of unchanged lines shown around a change.
const diffContext = 3

// edit is one line of a diff: ' ' in both texts, '-' in the old, '+' in the new.
type edit struct {
	mark byte
	line string
}

// LineDiff compares two texts line by line; it returns "" if they are equal. Control
// characters are replaced, because the result is for people.
func LineDiff(before, after string) string {
	if before == after {
		return ""
	}
	edits := edits(lines(before), lines(after))
	var out strings.Builder
	hidden := false
	for i, e := range edits {
		if !nearChange(edits, i) {
			hidden = true
			continue
		}
		if hidden {
			out.WriteString("  …\n")
			hidden = false
		}
		out.WriteByte(e.mark)
		out.WriteByte(' ')
		out.WriteString(printable(e.line))
		out.WriteByte('\n')
	}
	if hidden {
		out.WriteString("  …\n")
	}
	return out.String()
}

// lines splits a text. It keeps carriage returns, which printable makes visible, and
// distinguishes a last line with a newline from one without.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func nearChange(edits []edit, at int) bool {
	for i := max(at-diffContext, 0); i <= min(at+diffContext, len(edits)-1); i++ {
		if edits[i].mark != ' ' {
			return true
		}
	}
	return false
}

// edits returns the edits that turn a into b. It skips the common beginning and end, and
// keeps a longest common subsequence of the rest.
func edits(a, b []string) []edit {
	var head, tail []edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, edit{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, edit{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	out := append(head, middle(a, b)...)
	for i := len(tail) - 1; i >= 0; i-- {
		out = append(out, tail[i])
	}
	return out
}

// maxTable is the maximum number of cells of middle's table, which grows with the square of
// the lines: a file may have half a million.
const maxTable = 1 << 22

// middle compares texts without a common beginning and end. Of texts that are too large it
// returns all lines, first those of the old text.
func middle(a, b []string) []edit {
	if len(a)*len(b) > maxTable {
		return whole(a, b)
	}
	longest := commonLengths(a, b)
	var out []edit
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			out = append(out, edit{' ', a[i]})
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			out = append(out, edit{'-', a[i]})
			i++
		default:
			out = append(out, edit{'+', b[j]})
			j++
		}
	}
	return append(out, whole(a[i:], b[j:])...)
}

// commonLengths returns a table in which [i][j] is the length of the longest common
// subsequence of a[i:] and b[j:].
func commonLengths(a, b []string) [][]int32 {
	longest := make([][]int32, len(a)+1)
	for i := range longest {
		longest[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	return longest
}

func whole(a, b []string) []edit {
	var out []edit
	for _, line := range a {
		out = append(out, edit{'-', line})
	}
	for _, line := range b {
		out = append(out, edit{'+', line})
	}
	return out
}
