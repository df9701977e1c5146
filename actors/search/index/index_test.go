package index_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
	"github.com/toolscript/toolscript/actors/search/index"
)

var yes = true

func tool(server, name, description, schema string) toolscript.Tool {
	return toolscript.Tool{Server: server, Name: name, Description: description, InputSchema: json.RawMessage(schema)}
}

var tools = []toolscript.Tool{
	tool("demo", "add", "Adds two numbers.", `{"properties":{"b":{"description":"second"},"a":{"type":"number"}}}`),
	tool("demo", "echo", "Returns the given message.", `{"properties":{"message":true}}`),
	tool("fs", "read_file", "Read the complete contents of a file.", `{}`),
	tool("fs", "write_file", "Create a new file or overwrite one.", `[]`),
	tool("git", "git_commit", "Records changes to the repository.", ``),
	tool("git", "git_log", "Shows the history.", `{"properties":["not","an","object"]}`),
	{Server: "weather", Name: "forecast", Description: "What the sky will be like.", Annotations: toolscript.Annotations{ReadOnly: &yes}},
}

func catalog() toolscript.Catalog { return toolscript.NewCatalog(7, nil, tools) }

// TestWithoutModel: without vectors, queries find tools by several words, misspelled
// words and parts of words.
func TestWithoutModel(t *testing.T) {
	x := index.New(catalog(), nil)
	for query, want := range map[string]string{
		"add numbers":       "demo__add",
		"echo message":      "demo__echo",
		"read_fil":          "fs__read_file",
		"writte file":       "fs__write_file",
		"git history":       "git__git_log",
		"git commit":        "git__git_commit",
		"commit my changes": "git__git_commit",
	} {
		r := x.Search(index.NewQuery(query))
		if r.Mode != index.Lexical || len(r.Hits) == 0 || r.Hits[0].Tool.ID() != want {
			t.Errorf("%q: %s, want %s first", query, show(r), want)
		}
	}
}

func TestWithModel(t *testing.T) {
	e := minilm.NewEngine(0, nil)
	defer e.Close()
	x := index.New(catalog(), nil)
	vectors, err := index.Embed(t.Context(), e.Background(func() {}), x.Missing())
	if err != nil {
		t.Fatal(err)
	}
	x = x.With(vectors)
	if x.Known() != x.Len() || x.Mode() != index.Hybrid || len(x.Missing()) != 0 {
		t.Fatalf("%d of %d, %s, missing %v", x.Known(), x.Len(), x.Mode(), x.Missing())
	}
	for query, want := range map[string]string{
		"commit my changes to git":     "git__git_commit",
		"is it going to rain tomorrow": "weather__forecast",
		"the sum of 2 and 3":           "demo__add",
		"add numbers":                  "demo__add",
		"read_fil":                     "fs__read_file",
	} {
		q := index.NewQuery(query)
		q.Threshold = 0.2 // the score of a hybrid match without common words is lower
		if q.Vector, err = index.EmbedQuery(t.Context(), e, query); err != nil {
			t.Fatal(err)
		}
		r := x.Search(q)
		if r.Mode != index.Hybrid || len(r.Hits) == 0 || r.Hits[0].Tool.ID() != want {
			t.Errorf("%q: %s, want %s first", query, show(r), want)
		}
	}
}

func TestDescribe(t *testing.T) {
	d := index.Describe(tools[0])
	want := []string{
		"demo add Adds two numbers. Inputs: b (second), a", // in the order of the schema
		"add. Adds two numbers. Inputs: b (second), a",
	}
	if diff := cmp.Diff(want, d.Texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if d.Key != index.Describe(tools[0]).Key {
		t.Error("two keys for one tool")
	}
	changed := tools[0]
	changed.Description += " Slowly."
	if d.Key == index.Describe(changed).Key {
		t.Error("one key for two descriptions")
	}
	long := tool("s", "t", strings.Repeat("é", 1<<20), `{"properties":{"p":{"description":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`}}}`)
	if n := len(index.Describe(long).Texts[0]); n > 16<<10 {
		t.Errorf("a text of %d bytes", n)
	}
}

// fake embeds by table, so that the test can compute scores.
type fake map[string][]float32

func (fake) ID() string { return "fake" }
func (fake) Dim() int   { return 2 }
func (f fake) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var vectors [][]float32
	for _, text := range texts {
		v, ok := f[strings.Fields(text + " ?")[0]]
		if !ok {
			return nil, errors.New("no such text")
		}
		vectors = append(vectors, v)
	}
	return vectors, nil
}

func (f fake) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	vectors, err := f.Embed(ctx, []string{query})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

func TestEmbed(t *testing.T) {
	d := index.Describe(toolscript.Tool{Server: "s", Name: "t"})
	got, err := index.Embed(t.Context(), fake{"s": {1, 0}, "t.": {0, 1}}, []index.Document{d})
	if diff := cmp.Diff(index.Vectors{d.Key: {0.5, 0.5}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := index.Embed(t.Context(), fake{"s": {1, 0}, "t.": {1}}, []index.Document{d}); err == nil {
		t.Error("a vector of another length is accepted")
	}
	if _, err := index.Embed(t.Context(), fake{}, []index.Document{d}); err == nil {
		t.Error("no error")
	}
}

func TestEmbedQuery(t *testing.T) {
	got, err := index.EmbedQuery(t.Context(), fake{"s": {1, 0}}, "s")
	if diff := cmp.Diff([]float32{1, 0}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := index.EmbedQuery(t.Context(), fake{"s": {1}}, "s"); err == nil {
		t.Error("a vector of another length is accepted")
	}
}

func TestFilters(t *testing.T) {
	x := index.New(catalog(), nil)
	q := index.NewQuery("read the file")
	q.Servers = []string{"demo", "git"}
	r := x.Search(q)
	if r.Considered != 4 {
		t.Errorf("other servers: %d considered", r.Considered)
	}
	for _, h := range r.Hits {
		if !h.Unsure || !slices.Contains(q.Servers, h.Tool.Server) {
			t.Errorf("other servers: %s", show(r))
		}
	}
	q = index.NewQuery("sky")
	q.ReadOnly = true
	if r := x.Search(q); r.Considered != 1 || len(r.Hits) != 1 {
		t.Errorf("read-only: %s of %d", show(r), r.Considered)
	}
	q = index.NewQuery("file")
	q.Limit = 1
	if r := x.Search(q); len(r.Hits) != 1 || r.Matches != 2 {
		t.Errorf("limit 1: %s of %d", show(r), r.Matches)
	}
	if r := x.Search(index.NewQuery("qqqq")); len(r.Hits) != 0 {
		t.Errorf("nothing fits: %s", show(r))
	}
}

// TestPartial: while many vectors are missing, the answer is lexical. When a few are
// missing, the answer is hybrid, and these tools are still ranked.
func TestPartial(t *testing.T) {
	x := index.New(catalog(), nil)
	all := index.Vectors{}
	for _, d := range x.Missing() {
		all[d.Key] = []float32{1, 0}
	}
	q := index.NewQuery("add numbers")
	q.Vector = []float32{0.4, 0}
	if r := x.With(all).Search(q); r.Mode != index.Hybrid {
		t.Errorf("all vectors: %s", r.Mode)
	}
	delete(all, index.Describe(tools[0]).Key)
	few := x.With(all)
	if r := few.Search(q); r.Mode != index.Lexical || r.Hits[0].Tool.Name != "add" {
		t.Errorf("6 of 7: %s %s", r.Mode, show(r))
	}
	many := append([]toolscript.Tool(nil), tools...)
	for i := range 20 {
		many = append(many, tool("more", "tool"+string(rune('a'+i)), "does something else", ""))
	}
	x = index.New(toolscript.NewCatalog(8, nil, many), nil)
	for _, d := range x.Missing() {
		if d.Key != index.Describe(tools[0]).Key {
			all[d.Key] = []float32{1, 0}
		}
	}
	if r := x.With(all).Search(q); r.Mode != index.Hybrid || r.Hits[0].Tool.Name != "add" {
		t.Errorf("26 of 27: %s %s", r.Mode, show(r))
	}
}

func TestValidate(t *testing.T) {
	for name, change := range map[string]func(*index.Query){
		"no text":          func(q *index.Query) { q.Text = "" },
		"limit 0":          func(q *index.Query) { q.Limit = 0 },
		"limit 101":        func(q *index.Query) { q.Limit = 101 },
		"threshold 1.1":    func(q *index.Query) { q.Threshold = 1.1 },
		"alpha below zero": func(q *index.Query) { q.Alpha = -0.1 },
	} {
		q := index.NewQuery("x")
		if err := q.Validate(); err != nil {
			t.Fatal(err)
		}
		if change(&q); q.Validate() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestReason(t *testing.T) {
	r := index.New(catalog(), nil).Search(index.NewQuery("redd file"))
	if got, want := r.Hits[0].Reason, "strong keyword match: redd (read), file"; got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
}

// TestWordsPassTheThreshold: tools with the words of the query are hits at any
// threshold. If there are none, the nearest tools are returned as unsure.
func TestWordsPassTheThreshold(t *testing.T) {
	x := index.New(catalog(), nil)
	for query, want := range map[string]string{
		"git_commit": "git__git_commit", "comit": "git__git_commit", "raed fiel": "fs__read_file", "readfil": "fs__read_file",
		"echo mesage": "demo__echo",
	} {
		q := index.NewQuery(query)
		q.Threshold = 1
		if r := x.Search(q); len(r.Hits) == 0 || r.Hits[0].Tool.ID() != want || r.Hits[0].Unsure {
			t.Errorf("%q: %s, want %s", query, show(r), want)
		}
	}
	q := index.NewQuery("file of zebras and giraffes")
	q.Threshold = 1
	r := x.Search(q)
	if len(r.Hits) != 2 || !r.Hits[0].Unsure || r.Hits[0].Score <= 0 || r.Foreign {
		t.Errorf("a word of three: %+v", r)
	}
	if r := x.Search(index.NewQuery("git_comit_now_or_never_please")); len(r.Hits) == 0 {
		t.Error("a long name: nothing")
	}
}

// TestForeign: a query without hits in another language is marked as foreign.
func TestForeign(t *testing.T) {
	x := index.New(catalog(), nil)
	for query, want := range map[string]bool{
		"прочитать документ": true, "meine Wünsche vorlesen": true, "bitte vorlesen": true, "créer une issue": true, "buscar archivos para mí": true, "文件を読む": true,
		"what will happen tomorrow": false, "frobnicate widgets": false, "qwertyuiop": false, "résumé parser": false, "die roll": false, "los angeles": false, "file of zebras and giraffes": false, "read a file": false,
	} {
		q := index.NewQuery(query)
		q.Threshold = 1
		if r := x.Search(q); r.Foreign != want {
			t.Errorf("%q: %t, hits %s", query, r.Foreign, show(r))
		}
	}
}

func TestEmptyCatalog(t *testing.T) {
	x := index.New(toolscript.Catalog{}, nil)
	if r := x.Search(index.NewQuery("anything")); len(r.Hits) != 0 || r.Mode != index.Lexical {
		t.Errorf("%s", show(r))
	}
}

func show(r index.Result) string {
	var b strings.Builder
	for _, h := range r.Hits {
		b.WriteString(h.Tool.ID() + " (" + h.Reason + ") ")
	}
	return b.String()
}

// TestGuessedWords: a word that is only like another one, with another first letter, makes no
// sure hit. A misspelled word does.
func TestGuessedWords(t *testing.T) {
	x := index.New(toolscript.NewCatalog(1, nil, []toolscript.Tool{
		{Server: "page", Name: "gather_links", Description: "Gather the links of a page."},
		{Server: "page", Name: "print", Description: "Print it."},
	}), nil)
	for query, unsure := range map[string]bool{
		"weather": true, "weather tomorrow": true, "gathre": false, "gahter links": false, "agther": false, "weather links": false,
	} {
		r := x.Search(index.NewQuery(query))
		if len(r.Hits) == 0 || r.Hits[0].Tool.Name != "gather_links" || r.Hits[0].Unsure != unsure {
			t.Errorf("%q: %+v, want unsure %t", query, r.Hits, unsure)
		}
	}
}

// TestNear: a query without a limit of its own also has the tools that match about as well as
// the last one.
func TestNear(t *testing.T) {
	var tools []toolscript.Tool
	for _, name := range []string{"read_alpha", "read_beta", "read_gamma", "read_delta", "read_omega", "read_sigma"} {
		tools = append(tools, toolscript.Tool{Server: "s", Name: name})
	}
	x := index.New(toolscript.NewCatalog(1, nil, append(tools, toolscript.Tool{Server: "s", Name: "write_a_long_text_and_read_it"})), nil)
	for query, want := range map[string]int{"read": 5, "read alpha": 1, "write text": 1} {
		q := index.NewQuery(query)
		q.Near = true
		if r := x.Search(q); len(r.Hits) != want {
			t.Errorf("%q: %d hits, want %d: %s", query, len(r.Hits), want, show(r))
		}
		q.Near = false
		if r := x.Search(q); len(r.Hits) != min(want, index.DefaultLimit) {
			t.Errorf("%q without near: %s", query, show(r))
		}
	}
}
