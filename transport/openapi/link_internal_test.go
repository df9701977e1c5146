package openapi

import (
	"strings"
	"testing"
)

func TestNextLink(t *testing.T) {
	for header, want := range map[string]string{
		``:                            "",
		`</a?page=2>; rel="next"`:     "/a?page=2",
		`</a>; rel=next`:              "/a",
		`</a>;rel=next`:               "/a",
		`  </a>  ;  REL = "NEXT"  `:   "/a",
		`</a>; rel='next'`:            "",
		`</a>; rel="prev"`:            "",
		`</a>; rel="last next first"`: "/a",
		`</a>; rel="nextish"`:         "",
		`</a>; rel=prev; rel=next`:    "", // only the first rel counts
		`</a>; title="x; rel=next"`:   "",
		`</a>; title="say \"hi\", </b>; rel=next"; rel=next`: "/a",
		`</a>; rel=prev, </b>; rel=next, </c>; rel=next`:     "/b",
		`</a,b;c>; rel=next`:                                 "/a,b;c",
		`,, </a>; rel=prev,, ,</b>;rel=next,`:                "/b",
		`</a>; crossorigin; rel=next`:                        "/a",
		`</a>; rel=next; anchor="#part"`:                     "", // the link belongs to something else
		`</a>; title*=UTF-8''n%C3%A9; rel=next`:              "/a",
		`<>; rel=next`:                                       "",
		`< /a >; rel=next`:                                   "/a",
		`/a; rel=next`:                                       "",
		`</a; rel=next`:                                      "",
		`</a>; rel="next`:                                    "/a",
		`</a>; rel=prev x </b>; rel=next`:                    "",
		`nonsense`:                                           "",
		`<https://x.test/a?b=c>; rel=next`:                   "https://x.test/a?b=c",
	} {
		if got := nextLink([]string{header}); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	if got := nextLink([]string{`</a>; rel=prev`, `</b>; rel=next`}); got != "/b" {
		t.Errorf("the second header: %q", got)
	}
}

// FuzzNextLink checks that the parser ends for any header, and returns only text of the header.
func FuzzNextLink(f *testing.F) {
	for _, seed := range []string{`</a?page=2>; rel="next"`, `<a>;title="\",<b>;";rel=next,<c>`, `<>;;;=,"<`, "<\x00>;rel\t=\tnext", strings.Repeat("<a>;", 50)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if target := nextLink([]string{header}); !strings.Contains(header, "<") && target != "" || !strings.Contains(header, target) {
			t.Errorf("%q has no link %q", header, target)
		}
		for _, l := range links(header) {
			if strings.Contains(l.target, ">") {
				t.Errorf("%q: the target %q has the end of a target", header, l.target)
			}
		}
	})
}
