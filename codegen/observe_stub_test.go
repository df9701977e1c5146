package codegen_test

import (
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript/codegen"
)

func TestObservedStub(t *testing.T) {
	for _, tt := range []struct{ result, want string }{
		{`{"b":"secret","a":[{"n":7},{"m":true}]}`, `{"a":[{"m":false,"n":0}],"b":""}`},
		{`"secret"`, `""`}, {`[]`, `[]`}, {`null`, `null`}, {`12`, `0`},
		{`{"a@example.com":1}`, `{}`}, // an object whose names are data
	} {
		var o codegen.Observer
		o.See("s__t", json.RawMessage(tt.result))
		if got := o.Shapes().Stub("s__t"); string(got) != tt.want {
			t.Errorf("after %s: %s, want %s", tt.result, got, tt.want)
		}
	}
	if got := (*codegen.Shapes)(nil).Stub("s__t"); got != nil {
		t.Errorf("without results: %s, want none", got)
	}
}
