package texts_test

import (
	"testing"

	"github.com/toolscript/toolscript/internal/texts"
)

// TestHTML checks that values are texts of a page, and that the format is not changed.
func TestHTML(t *testing.T) {
	got := texts.HTML(`<a title="%[2]s">%[1]s</a>`, `<b>100% & more</b>`, `" onclick='x'`)
	if want := `<a title="&#34; onclick=&#39;x&#39;">&lt;b&gt;100% &amp; more&lt;/b&gt;</a>`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
