package config

import "strings"

// diffContext is how many equal lines are shown around a change.
const diffContext = 3

// edit is one line of a diff: ' ' in both texts, '-' in the old, '+' in the new.
type edit struct {
	mark byte
	line string
}

// lineDiff shows what changed between two texts, line by line; "" when nothing
// did. It is for reading: characters that a terminal would act on are replaced.
func lineDiff(before, after string) string {
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

// lines keeps a carriage return, which printable makes visible, and knows a last
// line without a newline from one with it.
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

// edits turns a into b. What both begin and end with is set aside first; of the
// rest a longest common subsequence stays.
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

// maxTable bounds the table of middle: a file of a repository may have half a
// million lines, and its square would not fit.
const maxTable = 1 << 22

// middle is the diff of texts that begin and end differently. Those too large to
// compare are shown whole, the old and then the new.
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

// commonLengths[i][j] is the length of the longest common subsequence of a[i:]
// and b[j:].
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
