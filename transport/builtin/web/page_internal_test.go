package web

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolscript/toolscript/transport/upstream"
)

// TestHostilePages: pages for which a naive conversion of escapes, or of deeply nested lists and
// quotes, would take minutes are converted quickly.
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

// FuzzPage converts pages like a worker process.
func FuzzPage(f *testing.F) {
	f.Add("<title>a\nb</title><p>x <a href=../y>y</a><pre>\n<code>z</code></pre>", "text/html; charset=latin1")
	f.Add("<dl><dt>a<dd>b<dt>c</dl><ol start=3><li><ul><li>x</ol><table><tr><td>1<td>2</table>", "text/html")
	f.Add("<svg><title>x</title><![CDATA[y]]></svg><!--z--><img src='data:,' alt='['>", "application/xhtml+xml")
	f.Add("\xff\xfeh\x00i\x00", "text/plain; charset=utf-16")
	f.Fuzz(func(t *testing.T, body, contentType string) {
		input, err := upstream.Pack(pageInput{URL: "https://example.com/a/b", Type: contentType}, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		packed, err := convertPage(slices.Concat(input...), nil)
		if err != nil {
			return
		}
		var out pageOutput
		texts, err := upstream.Unpack(slices.Concat(packed...), &out)
		if err != nil || len(texts) != 1 {
			t.Fatalf("%d texts, %v", len(texts), err)
		}
		if !utf8.Valid(texts[0]) || !utf8.ValidString(out.Title) {
			t.Errorf("title %q, content %q", out.Title, texts[0])
		}
	})
}
