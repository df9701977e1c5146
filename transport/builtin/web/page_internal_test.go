package web

import (
	"strings"
	"testing"
)

// TestHostilePages converts pages for which a conversion with escapes, or with lists and
// quotes as deep as the page has them, takes minutes.
func TestHostilePages(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"characters of Markdown": {strings.Repeat("*_[", 1<<18), "*_[*_["},
		"quotes":                 {strings.Repeat("<blockquote>", 250) + strings.Repeat("x<br>", 20000), "> > > > > > > > x"},
		"lists":                  {strings.Repeat("<ul><li>", 200) + "x" + strings.Repeat("</ul>", 200), "x"},
		"elements":               {strings.Repeat("<p>x", 1<<14), "x\n\nx"},
	} {
		t.Run(name, func(t *testing.T) {
			var p page
			if err := p.read([]byte(test.body), "text/html"); err != nil || !strings.Contains(p.content, test.want) {
				t.Errorf("%.100q, %v", p.content, err)
			}
		})
	}
	var p page
	if err := p.read([]byte(strings.Repeat("<div>", 1<<20)), "text/html"); err == nil {
		t.Error("a page of a million levels was converted")
	}
}
