package terminal

import "testing"

// TestVisible: characters that hide or move others are shown as numbers; those that belong to a
// visible character stay.
func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"ls\u3164;rm":               `ls\u{3164};rm`,
		"ls\u115f\u034f\u1160rm":    `ls\u{115F}\u{34F}\u{1160}rm`,
		"a\U000e0041\u202eb\u2800c": `a\u{E0041}\u{202E}b\u{2800}c`,
		"two\nlines\tand tabs":      `two\u{A}lines` + "\tand tabs",
		"⚠\ufe0f careful":           "⚠\ufe0f careful",
		"a\ufe0fb ⚠\ufe0f\ufe0f":    `a\u{FE0F}b ` + "⚠\ufe0f" + `\u{FE0F}`,
		"日本語 é e\u0301":             "日本語 é e\u0301",
	} {
		if got := Visible(text); got != want {
			t.Errorf("Visible(%q) = %q, want %q", text, got, want)
		}
	}
	if got := VisibleText("two\nlines\u3164"); got != "two\nlines"+`\u{3164}` {
		t.Errorf("VisibleText: %q", got)
	}
}
