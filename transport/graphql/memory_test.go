package graphql_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/graphql"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestMemoryOfAnswers makes many calls at once with compressed answers: all succeed within the memory budget.
func TestMemoryOfAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		answers.Body
		want string
	}{
		"a value":         {answers.Body{Head: `{"data":{"name":"`, Part: "x", Tail: `"}}`}, `{"content":[],"structuredContent":"xxx`},
		"many errors":     {answers.Body{Head: `{"errors":[`, Part: `{"message":"no","path":[1,2]},`, Tail: `{}]}`}, `no (at 1.2); no (at 1.2)`},
		"one long error":  {answers.Body{Head: `{"errors":[{"message":"`, Part: `\n\u0041`, Tail: `"}]}`}, `\nA\nA`},
		"a long path":     {answers.Body{Head: `{"errors":[{"message":"no","path":[`, Part: `[[]],`, Tail: `1]}]}`}, `"no"`},
		"another member":  {answers.Body{Head: `{"data":null,"errors":[{"message":"no"}],"extensions":[`, Part: `{"a":{}},`, Tail: `1]}`}, `"no"`},
		"nothing GraphQL": {answers.Body{Head: `[`, Part: `[],`, Tail: `1]`}, `without GraphQL`},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "a value" && name != "one long error" {
				t.Skip("it is slow")
			}
			dial := func(url string, budget *budget.Budget) *upstream.Conn {
				settings := graphql.Settings{URL: url, Spec: answers.File(t, "schema.graphql", "type Query { name: String }")}
				conn, err := answers.Open(t, graphql.Dialer{Answers: budget}.Dial, settings, upstream.Config{}, upstream.Events{})
				if err != nil {
					t.Fatal(err)
				}
				return conn
			}
			answers.Within(t, dial, tt.Body, "name", func(r json.RawMessage) bool {
				return strings.Contains(string(r[:min(len(r), 2000)]), tt.want)
			})
		})
	}
}
