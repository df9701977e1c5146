package toolscript_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
)

const addressForm = `{"type":"object","required":["name","address"],"properties":{
	"name":{"type":"string"},
	"address":{"type":"object","required":["city"],"properties":{
		"city":{"type":"string"},
		"geo":{"type":"object","required":["lat"],"properties":{"lat":{"type":"number"}}}}},
	"address.city":{"type":"string"}}}`

// TestFlatForm: a flat form has the fields of nested objects in the order of the schema, and Nest
// restores the objects in the answer.
func TestFlatForm(t *testing.T) {
	form, err := toolscript.NewFlatForm(json.RawMessage(addressForm))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range form.Fields {
		name := f.Name
		if f.Required {
			name += "!"
		}
		got = append(got, name)
	}
	if want := "name! address.city! address.geo.lat address.city-2"; strings.Join(got, " ") != want {
		t.Errorf("fields %v, want %s", got, want)
	}
	want := `{"properties":{"name":{"type":"string"},"address.city":{"type":"string"},"address.geo.lat":{"type":"number"},"address.city-2":{"type":"string"}},"required":["name","address.city"],"type":"object"}`
	if text := string(form.Schema()); text != want {
		t.Errorf("schema %s", text)
	}
	for content, want := range map[string]string{
		`{"name":"Ann","address.city":"Bonn","address.geo.lat":50.7,"address.city-2":"x"}`: `{"address":{"city":"Bonn","geo":{"lat":50.7}},"address.city":"x","name":"Ann"}`,
		`{"name":"Ann"}`:          `{"name":"Ann"}`,
		`{"other":{"address":1}}`: `{"other":{"address":1}}`,
	} {
		if text, err := form.Nest(json.RawMessage(content)); err != nil || string(text) != want {
			t.Errorf("%s: %s, %v", content, text, err)
		}
	}
	if _, err := form.Nest(json.RawMessage(`[]`)); err == nil {
		t.Error("an answer that is not an object has no error")
	}
}

// TestFlatFormOfPlainFields: a form without nested objects keeps its schema and its answer.
func TestFlatFormOfPlainFields(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object"}},"additionalProperties":false}`
	form, err := toolscript.NewFlatForm(json.RawMessage(schema))
	if err != nil || string(form.Schema()) != schema || len(form.Fields) != 2 {
		t.Errorf("%+v, %v", form, err)
	}
	if text, err := form.Nest(json.RawMessage(`{"a": 1}`)); err != nil || string(text) != `{"a": 1}` {
		t.Errorf("%s, %v", text, err)
	}
}

func TestSchemasThatAreNoForms(t *testing.T) {
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 9) + `{"type":"string"}` + strings.Repeat(`}}`, 9)
	for _, schema := range []string{`"x"`, `{"properties":[]}`, `{"properties":{"a":{"type":"object","properties":7}}}`, deep} {
		if form, err := toolscript.NewFlatForm(json.RawMessage(schema)); err == nil {
			t.Errorf("%.40s: %+v", schema, form)
		}
	}
}

func TestWarningsAboutPages(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.com/x":      "",
		"https://exаmple.com/x":      "look like others", // its third letter is Cyrillic
		"https://xn--exmple-4nf.com": "look like others",
		"http://127.0.0.1:7/x":       "this machine",
	} {
		q := toolscript.Question{URL: address}
		if got := q.Warning(); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
