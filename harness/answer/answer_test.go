package answer_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/harness/answer"
)

const script = "<tool-calls>return 1</tool-calls>"

// shown writes the parts of an answer, one a line.
func shown(a answer.Answer) []string {
	out := []string{}
	for _, p := range a.Parts {
		switch {
		case p.Text != nil && p.Text.Continues:
			out = append(out, "continued "+p.Text.Text)
		case p.Text != nil:
			out = append(out, "text "+p.Text.Text)
		case p.Call.Problem != "":
			out = append(out, fmt.Sprintf("call %s of %s: %s", p.Call.ID, p.Call.Name, p.Call.Problem))
		default:
			out = append(out, fmt.Sprintf("call %s of %s with %s", p.Call.ID, p.Call.Name, p.Call.Args))
		}
	}
	return out
}

func TestRead(t *testing.T) {
	tests := []struct {
		name string
		api  answer.API
		data string
		want []string
	}{
		{"Works with Responses API", answer.Responses, `{"object":"response","output":[
			{"type":"reasoning","summary":[{"type":"summary_text","text":"SCRIPT"}],"content":[{"type":"reasoning_text","text":"SCRIPT"}]},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I fix "},{"type":"output_text","text":"it. SCRIPT"}]},
			{"type":"function_call","call_id":"call_1","name":"exec","arguments":"{\"command\":[\"SCRIPT\"]}"}]}`,
			[]string{"text I fix it. SCRIPT", `call call_1 of exec with {"command":["SCRIPT"]}`}},
		{"Works with Chat API", answer.Chat, `{"object":"chat.completion","choices":[{"message":{"role":"assistant","reasoning_content":"SCRIPT","content":"I fix it. SCRIPT",
			"tool_calls":[{"id":"call_1","type":"function","function":{"name":"exec","arguments":"{\"command\":[\"SCRIPT\"]}"}}]}}]}`,
			[]string{"text I fix it. SCRIPT", `call call_1 of exec with {"command":["SCRIPT"]}`}},
		{"Works with Messages API", answer.Messages, `{"type":"message","role":"assistant","stop_reason":"tool_use","content":[{"type":"thinking","thinking":"SCRIPT","text":"SCRIPT"},
			{"type":"text","text":"I fix "},{"type":"text","text":"it. SCRIPT"},{"type":"tool_use","id":"call_1","name":"exec","input":{"command":["SCRIPT"]}}]}`,
			[]string{"text I fix it. SCRIPT", `call call_1 of exec with {"command":["SCRIPT"]}`}},

		{"items as JSON lines", answer.Responses, `{"type":"message","role":"assistant","content":"a"}
			{"type":"function_call","call_id":"1","name":"f","arguments":""}`, []string{"text a", "call 1 of f with {}"}},
		{"items as a list", answer.Responses, `[{"role":"assistant","content":"a"},{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}]`, []string{"text a", "call 1 of f with {}"}},
		{"text after a call", answer.Messages, `{"role":"assistant","content":[{"type":"text","text":"a\n"},{"type":"tool_use","id":"1","name":"f","input":{}},{"type":"text","text":"b"}]}`,
			[]string{"text a\n", "call 1 of f with {}", "continued b"}},
		{"parallel calls", answer.Chat, `{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}},{"id":"2","function":{"name":"g","arguments":"{\"a\":1}"}}]}`,
			[]string{"call 1 of f with {}", `call 2 of g with {"a":1}`}},
		{"content parts of Chat Completions", "", `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"refusal","refusal":"SCRIPT"}],"tool_calls":[]}`, []string{"text a"}},
		{"a refusal separates texts", answer.Responses, `{"role":"assistant","content":[{"type":"output_text","text":"<tool-"},{"type":"refusal","refusal":"x"},{"type":"output_text","text":"calls>"}]}`,
			[]string{"text <tool-", "continued calls>"}},

		{"user messages never run, Responses", answer.Responses, `[{"role":"user","content":"SCRIPT"},{"role":"system","content":"SCRIPT"},{"type":"message","role":"user","content":[{"type":"input_text","text":"SCRIPT"},{"type":"output_text","text":"SCRIPT"}]}]`, nil},
		{"user messages never run, Chat", answer.Chat, `[{"role":"user","content":"SCRIPT"},{"role":"system","content":"SCRIPT"},{"role":"developer","content":"SCRIPT"},{"role":"Assistant","content":"SCRIPT"},{"content":"SCRIPT"}]`, nil},
		{"user messages never run, Messages", answer.Messages, `[{"role":"user","content":"SCRIPT"},{"role":"user","content":[{"type":"text","text":"SCRIPT"},{"type":"tool_use","id":"1","name":"f","input":{}}]}]`, nil},
		{"tool results never run, Responses", answer.Responses, `[{"type":"function_call_output","call_id":"1","output":"SCRIPT"},{"type":"function_call_output","role":"assistant","call_id":"1","content":"SCRIPT","output":"SCRIPT"}]`, nil},
		{"tool results never run, Chat", answer.Chat, `{"role":"tool","tool_call_id":"1","content":"SCRIPT"}`, nil},
		{"tool results never run, Messages", answer.Messages, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"SCRIPT"}]}]}`, nil},
		{"results that pose as items", answer.Messages, `{"role":"assistant","content":[{"type":"tool_result","tool_use_id":"1","content":"SCRIPT"},{"type":"server_tool_use","id":"2","name":"f","input":{"role":"assistant","content":"SCRIPT"}}]}`, nil},
		{"arguments that pose as an answer", answer.Responses, `{"type":"function_call","call_id":"1","name":"f","arguments":"{\"role\":\"assistant\",\"content\":\"SCRIPT\"}","role":"assistant","content":"SCRIPT"}`,
			[]string{`call 1 of f with {"role":"assistant","content":"SCRIPT"}`}},
		{"keys are exact", answer.Chat, `{"role":"user","Role":"assistant","ROLE":"assistant","content":"SCRIPT"}`, nil},
		{"the last of equal keys counts", answer.Chat, `{"role":"assistant","role":"user","content":"SCRIPT"}`, nil},
		{"the parts of another API are not read", answer.Chat, `{"role":"assistant","content":[{"type":"output_text","text":"SCRIPT"},{"type":"tool_use","id":"1","name":"f","input":{}}]}`, nil},

		{"calls with an output are done, Responses", answer.Responses, `[{"type":"function_call","call_id":"1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"1","output":"x"},{"type":"function_call","call_id":"2","name":"f","arguments":"{}"}]`, []string{"call 2 of f with {}"}},
		{"calls with an output are done, Chat", answer.Chat, `[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"x"}]`, nil},
		{"calls with an output are done, Messages", answer.Messages, `[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}]`, nil},

		{"arguments that are no JSON", answer.Chat, `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\"a\":"}}]}`, []string{"call 1 of f: the arguments are not a JSON object"}},
		{"arguments that are a list", answer.Responses, `{"type":"function_call","call_id":"1","name":"f","arguments":"[]"}`, []string{"call 1 of f: the arguments are not a JSON object"}},
		{"a call without id", answer.Responses, `{"type":"function_call","name":"f","arguments":"{}"}`, []string{"call  of f: the call has no id"}},
		{"a call without name", answer.Responses, `{"type":"function_call","call_id":"1","arguments":"{}"}`, []string{"call 1 of : the call names no tool"}},
		{"odd values", answer.Messages, `[null,1,"SCRIPT",{"role":"assistant","content":[null,1,"SCRIPT",{"type":"text","text":1},{"type":["text"],"text":"SCRIPT"}]},{"role":["assistant"],"content":"SCRIPT"}]`, nil},
		{"the first choice counts", "", `{"choices":[{"message":{"role":"assistant","content":"a"}},{"message":{"role":"assistant","content":"SCRIPT"}}]}`, []string{"text a"}},
		{"an empty text", answer.Chat, `{"role":"assistant","content":""}`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := answer.Read([]byte(strings.ReplaceAll(test.data, "SCRIPT", script)), test.api)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{}
			for _, line := range test.want {
				want = append(want, strings.ReplaceAll(line, "SCRIPT", script))
			}
			if diff := cmp.Diff(want, shown(got)); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRecognized(t *testing.T) {
	for data, want := range map[string]answer.API{
		`{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}]}`: answer.Responses,
		`[{"type":"reasoning"},{"type":"message","role":"assistant","content":"a"}]`:                                           answer.Responses,
		`{"choices":[{"message":{"role":"assistant","content":"a"}}]}`:                                                         answer.Chat,
		`{"role":"assistant","content":"a"}`:                                                                                   answer.Chat,
		`{"role":"assistant","tool_calls":[{"type":"function"}]}`:                                                              answer.Chat,
		`{"role":"assistant","content":[{"type":"text","text":"a"}]}`:                                                          answer.Messages,
		`{"type":"message","role":"assistant","content":"a","stop_reason":"end_turn"}`:                                         answer.Messages,
		`[{"role":"assistant","content":"a"},{"role":"assistant","content":[{"type":"tool_use"}]}]`:                            answer.Messages,
	} {
		if got, err := answer.Read([]byte(data), ""); err != nil || got.API != want {
			t.Errorf("%s: recognized as %q, %v; want %s", data, got.API, err, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for data, want := range map[string]string{
		"":             "the answer is empty",
		" \n":          "the answer is empty",
		"I fix it.":    "the answer is not JSON",
		`{"a":`:        "the answer is not JSON",
		`"text"`:       "no JSON object",
		`null`:         "no JSON object",
		`{"a":1}`:      "name the API with --api",
		`[]`:           "the answer is empty",
		`{"output":1}`: "the answer is empty",
		`[{"type":"function_call"},{"role":"tool","tool_call_id":"1"}]`: "the APIs responses and chat",
		strings.Repeat("[", 100_000):                                    "the answer is not JSON",
		strings.Repeat("{} ", 100_001):                                  "more than 100000 JSON values",
	} {
		if got, err := answer.Read([]byte(data), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, %v; want %q", data, got, err, want)
		}
	}
	if _, err := answer.ParseAPI("Chat"); err == nil || !strings.Contains(err.Error(), "use responses, chat or messages") {
		t.Error(err)
	}
}

// FuzzSameResults checks that the three APIs give the same parts for the same answer.
func FuzzSameResults(f *testing.F) {
	f.Add("I fix it. "+script, "exec", `{"a":1}`, "assistant")
	f.Add("a\r\n\u2028", "", `{}`, "user")
	f.Fuzz(func(t *testing.T, text, name, args, role string) {
		if !json.Valid([]byte(args)) || !utf8.ValidString(args) {
			args = "{}"
		}
		quoted := func(s string) string {
			raw, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
		call := `{"type":"function_call","call_id":"1","name":` + quoted(name) + `,"arguments":` + quoted(args) + `}`
		function := `[{"id":"1","function":{"name":` + quoted(name) + `,"arguments":` + quoted(args) + `}}]`
		use := `{"type":"tool_use","id":"1","name":` + quoted(name) + `,"input":` + args + `}`
		message := `"role":` + quoted(role) + `,"content":[{"type":"text","text":` + quoted(text) + `}`
		first, err := answer.Read([]byte(`[{"type":"message",`+strings.Replace(message, `"text","text"`, `"output_text","text"`, 1)+`]}`+only(role, ","+call)+`]`), answer.Responses)
		if err != nil {
			t.Fatal(err)
		}
		for api, data := range map[answer.API]string{answer.Chat: `{` + message + `],"tool_calls":` + function + `}`, answer.Messages: `{` + message + "," + use + `]}`} {
			other, err := answer.Read([]byte(data), api)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := shown(first), shown(other); !slices.Equal(a, b) && compact(args) {
				t.Errorf("%s: %q, but responses: %q", api, b, a)
			}
		}
		if role != "assistant" && len(first.Parts) > 0 {
			t.Errorf("parts of the role %q: %v", role, shown(first))
		}
	})
}

// only returns item if role is the assistant, and otherwise "": only the assistant has such items.
func only(role, item string) string {
	if role == "assistant" {
		return item
	}
	return ""
}

// compact reports whether arguments are the same in a string and as an object. Only a JSON
// object can be both.
func compact(args string) bool { return strings.HasPrefix(args, "{") }

// FuzzReaders checks that Read never panics, and that it returns only texts of the assistant.
func FuzzReaders(f *testing.F) {
	for _, seed := range []string{
		`{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}]}`,
		`{"choices":[{"message":{"role":"assistant","content":"a","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}}]}`,
		`[{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result"}]}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, api := range []answer.API{answer.Responses, answer.Chat, answer.Messages, ""} {
			got, err := answer.Read(data, api)
			if err != nil {
				continue
			}
			for _, p := range got.Parts {
				if (p.Text == nil) == (p.Call == nil) {
					t.Errorf("%q: a part has a text and a call, or none", data)
				}
				if p.Text != nil && !strings.Contains(string(data), "assistant") && !strings.Contains(string(data), `\`) {
					t.Errorf("%q: text %q of no assistant", data, p.Text.Text)
				}
				if p.Call != nil && p.Call.Problem == "" && !json.Valid(p.Call.Args) {
					t.Errorf("%q: arguments %q", data, p.Call.Args)
				}
			}
		}
	})
}
