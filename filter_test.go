package toolscript_test

import (
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript"
)

// TestFilterOfNothing: a missing allow list allows all tools, and an empty one allows none.
func TestFilterOfNothing(t *testing.T) {
	tool := toolscript.Tool{Server: "demo", Name: "echo"}
	catalog := toolscript.NewCatalog(1, []string{"demo"}, []toolscript.Tool{tool})
	for text, want := range map[string]bool{
		`{}`: true, `{"allow":null}`: true, `{"allow":[]}`: false, `{"allow":["demo"]}`: true, `{"allow":["demo__echo"]}`: true, `{"allow":["other"]}`: false,
	} {
		var r toolscript.ExecRequest
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(r) // the client sends the request
		if err != nil {
			t.Fatal(err)
		}
		var sent toolscript.ExecRequest
		if err := json.Unmarshal(again, &sent); err != nil {
			t.Fatal(err)
		}
		f := toolscript.Filter(sent.Allow)
		if got := f.Match(tool); got != want {
			t.Errorf("%s: Match = %v, want %v", text, got, want)
		}
		if got := len(catalog.Filter(f).Tools()) == 1; got != want {
			t.Errorf("%s: the catalog keeps the tool: %v, want %v", text, got, want)
		}
		if got := (toolscript.FetchRequest{ID: toolscript.ReadResource, Allow: f}).Admits("demo"); got != (want && text != `{"allow":["demo__echo"]}`) {
			t.Errorf("%s: Admits = %v", text, got)
		}
	}
	if toolscript.ParseFilter(" , ") != nil {
		t.Error("an empty list is a filter")
	}
}

// TestFilterWarnings: filters that select different tools have different keys, whatever the
// names of the tools are. Keys are the keys of cached modules.
func TestFilterWarnings(t *testing.T) {
	seen := map[string]toolscript.Filter{}
	for _, f := range []toolscript.Filter{
		nil, {}, {""}, {"a__x", "secret"}, {"a__x,secret"}, {`a__x" "secret`}, {"a__x"}, {"(none)"}, {"[]"},
	} {
		if other, ok := seen[f.Key()]; ok {
			t.Errorf("%q and %q are both %s", f, other, f.Key())
		}
		seen[f.Key()] = f
	}
}

// TestFilterIsReadAgain: ParseFilter parses the result of String. A client sends a filter in this form.
func TestFilterIsReadAgain(t *testing.T) {
	for _, text := range []string{"", "demo", "demo,other__tool"} {
		if got := toolscript.ParseFilter(text).String(); got != text {
			t.Errorf("%q is sent as %q", text, got)
		}
	}
}
