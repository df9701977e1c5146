package lexical_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/actors/search/lexical"
)

var documents = []lexical.Document{
	{Server: "fs", Name: "read_file", Description: "Read the complete contents of a file.", Parameters: []lexical.Parameter{{Name: "path", Description: "where it is"}}},
	{Server: "fs", Name: "write_file", Description: "Create a new file or overwrite one."},
	{Server: "github", Name: "createIssue", Description: "Opens an issue in a repository."},
	{Server: "github", Name: "listPullRequests", Description: "Lists pull requests, newest first."},
	{Server: "bing", Name: "search", Description: "使用必应搜索指定的关键词"},
}

func TestScore(t *testing.T) {
	x := lexical.New(documents, lexical.DefaultWeights)
	for _, tt := range []struct {
		name, query, best string
		matched           []string
	}{
		{"plain words", "read a file", "read_file", []string{"read", "file"}},
		{"inside camelCase", "create issue", "createIssue", []string{"create", "issue"}},
		{"other endings", "creating issues", "createIssue", []string{"creating", "issues"}},
		{"an edit", "raed the file", "read_file", []string{"raed (read)", "file"}},
		{"a short form", "repos", "createIssue", []string{"repos"}},
		{"a beginning", "conte", "read_file", []string{"conte (contents)"}},
		{"an edit in a short word", "isue", "createIssue", []string{"isue (issue)"}},
		{"neighbours that changed places", "raed fiel", "read_file", []string{"raed (read)", "fiel (file)"}},
		{"two edits in a word of six", "creat reqest", "listPullRequests", []string{"reqest (requests)"}},
		{"a name run together", "readfile", "read_file", []string{"readfile"}},
		{"the beginning of one", "readfil", "read_file", []string{"readfil (readfile)"}},
		{"a misspelt one", "creatisue", "createIssue", []string{"creatisue (createissue)"}},
		{"words of two names run together", "writeissue", "createIssue", []string{"issue"}},
		{"a word that means the same", "ticket", "createIssue", []string{"ticket (issue)"}},
		{"two words that are one", "over write", "write_file", []string{"over (overwrite)", "write"}},
		{"two edits in a long word", "reqeuest pul", "listPullRequests", []string{"reqeuest (requests)", "pul (pull)"}},
		{"a parameter", "path", "read_file", []string{"path"}},
		{"a server", "bing", "search", []string{"bing"}},
		{"no blanks between words", "搜索", "search", []string{"搜", "索"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := x.Score(tt.query)
			best := top(s)
			if got := documents[best].Name; got != tt.best {
				t.Fatalf("best of %q is %s, want %s", tt.query, got, tt.best)
			}
			if diff := cmp.Diff(tt.matched, x.Matched(s, best)); diff != "" {
				t.Errorf("matched words (-want +got):\n%s", diff)
			}
			if s.Max != s.Documents[best] || s.Max > s.Ideal {
				t.Errorf("max %v and ideal %v of %v", s.Max, s.Ideal, s.Documents)
			}
		})
	}
}

// TestFormula compares one score with the formula of BM25.
func TestFormula(t *testing.T) {
	x := lexical.New([]lexical.Document{{Name: "alpha", Description: "beta beta"}, {Name: "gamma"}}, lexical.DefaultWeights)
	s := x.Score("beta beta") // each word counts once
	const (
		tf, length, average = 2, 3 + 2, (3 + 2 + 3) / 2.0
		k1, b               = 1.2, 0.75
	)
	idf := math.Log(1 + (2-1+0.5)/(1+0.5))
	want := idf * tf * (k1 + 1) / (tf + k1*(1-b+b*length/average))
	if got := s.Documents[0]; math.Abs(got-want) > 1e-6 {
		t.Errorf("score %v, want %v", got, want)
	}
	if want := idf * (k1 + 1); math.Abs(s.Ideal-want) > 1e-9 {
		t.Errorf("ideal %v, want %v", s.Ideal, want)
	}
	if s.Documents[1] != 0 {
		t.Errorf("a document without the word has %v", s.Documents[1])
	}
}

func TestScoreOfNothing(t *testing.T) {
	for _, tt := range []struct {
		name, query string
		documents   []lexical.Document
	}{
		{"no documents", "read", nil},
		{"no words", "", documents},
		{"stop words only", "what is the", documents},
		{"unknown", "zzzzzz", documents},
		{"empty documents", "read", make([]lexical.Document, 3)},
	} {
		s := lexical.New(tt.documents, lexical.DefaultWeights).Score(tt.query)
		if len(s.Documents) != len(tt.documents) || s.Max != 0 || math.IsNaN(s.Ideal) {
			t.Errorf("%s: %+v", tt.name, s)
		}
	}
}

// TestMisspeltNameIsFirst: if a misspelled word matches several stems, the best one counts,
// not the sum.
func TestMisspeltNameIsFirst(t *testing.T) {
	x := lexical.New([]lexical.Document{{Name: "tool", Description: "branch brunch"}, {Name: "other"}}, lexical.DefaultWeights)
	const edit = 0.8
	want := edit * max(x.Score("branch").Documents[0], x.Score("brunch").Documents[0])
	if got := x.Score("brnch").Documents[0]; math.Abs(got-want) > 1e-9 {
		t.Errorf("score %v, want %v", got, want)
	}
}

func FuzzScore(f *testing.F) {
	x := lexical.New(documents, lexical.DefaultWeights)
	for _, seed := range []string{"read file", "HTTPServer", "éééééd 数据", "\xff\xfe", strings.Repeat("a", 300), "singing ies sses"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		s := x.Score(query)
		for i, score := range s.Documents {
			if math.IsNaN(score) || score < 0 || score > s.Ideal*(1+1e-6) {
				t.Fatalf("score %v of %v", score, s.Ideal)
			}
			if words := x.Matched(s, i); (len(words) > 0) != (score > 0) {
				t.Fatalf("score %v with the words %q", score, words)
			}
		}
		own := lexical.New([]lexical.Document{{Name: query, Description: query}}, lexical.DefaultWeights)
		if s := own.Score(query); len(s.Documents) != 1 {
			t.Fatal(s)
		}
	})
}

// BenchmarkScore scores a query with two misspelled words over 2,000 tools.
func BenchmarkScore(b *testing.B) {
	many := make([]lexical.Document, 2000)
	for i := range many {
		many[i] = documents[i%len(documents)]
		many[i].Name += fmt.Sprintf("_%s%d", strings.Repeat(string(rune('a'+i%26)), 1+i%7), i)
		many[i].Description += fmt.Sprintf(" term%d word%d of%dmany", i, i*7%5000, i)
	}
	x := lexical.New(many, lexical.DefaultWeights)
	for b.Loop() {
		x.Score("find the reqeusts in the repositroy that are still open and list them")
	}
}

func top(s lexical.Scores) int { return slices.Index(s.Documents, s.Max) }

// TestCovered: a tool has all, some or none of a query's words. Corrected words count
// like others.
func TestCovered(t *testing.T) {
	x := lexical.New(documents, lexical.DefaultWeights)
	for _, tt := range []struct {
		query     string
		low, high float64 // for read_file
	}{
		{"read file", 1, 1}, {"raed fiel", 1, 1}, {"read zebras", 0.1, 0.6}, {"zebras", 0, 0},
	} {
		if got := x.Score(tt.query).Covered[0]; got < tt.low-1e-9 || got > tt.high+1e-9 {
			t.Errorf("%q: covered %v, want %v to %v", tt.query, got, tt.low, tt.high)
		}
	}
}

// TestNamed: a query that is a tool's name is nearer to that name than to longer
// names with the same words.
func TestNamed(t *testing.T) {
	x := lexical.New([]lexical.Document{
		{Server: "git", Name: "git_commit", Description: "Records changes to the repository"},
		{Server: "git", Name: "git_log", Description: "Shows the commit logs: commit, author, date of each commit"},
		{Server: "hub", Name: "list_commits", Description: "Get list of commits of a branch in git"},
		{Server: "hub", Name: "get_commit", Description: "Get details for a commit"},
	}, lexical.DefaultWeights)
	for _, query := range []string{"git commit", "git_commit", "gitCommit", "git commti"} {
		s := x.Score(query)
		if best := slices.Index(s.Named, slices.Max(s.Named)); best != 0 || s.Named[0] > 1+1e-9 {
			t.Errorf("%q: named %v", query, s.Named)
		}
	}
	if got := x.Score("git commit").Named[0]; math.Abs(got-1) > 1e-9 {
		t.Errorf("the name itself: %v, want 1", got)
	}
}

// TestShown: of the words with one stem, the shortest is shown.
func TestShown(t *testing.T) {
	x := lexical.New([]lexical.Document{{Name: "load", Description: "Reads, read or reading"}}, lexical.DefaultWeights)
	if diff := cmp.Diff([]string{"raed (read)"}, x.Matched(x.Score("raed"), 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
