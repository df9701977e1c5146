package httptransport_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

func TestParse(t *testing.T) {
	for literal, want := range map[string]int64{
		`7`: 7, `"7"`: 7, `7.0`: 7, `"7.0"`: 7, `1.00001e5`: 100_001, `-7`: -7,
	} {
		if id, ok := httptransport.Parse([]byte(literal)); !ok || id != want {
			t.Errorf("Parse(%s) = %d, %t, want %d", literal, id, ok, want)
		}
	}
	for _, literal := range []string{``, `""`, `"`, `null`, `true`, `7.5`, `"a7"`, `{"id":7}`, `1e300`} {
		if id, ok := httptransport.Parse([]byte(literal)); ok {
			t.Errorf("Parse(%s) = %d, want none", literal, id)
		}
	}
}

func TestIn(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for text, want := range map[string][]int64{
		`{"jsonrpc":"2.0","id":7,"result":{"id":8,"x":NaN}}`:           {7, 8},
		`DEBUG sent {"id" : "7" , "result":{}}`:                        {7},
		`{'jsonrpc': '2.0', 'id': 7.0, 'result': {'ok': True}}`:        {7},
		`{"result":{"id":8,"x":"` + long + `"},"id":7}`:                {8, 7},
		`{"result":{"x":"` + long + `","list":[{"id":8}]},"id":7}`:     {7, 8},
		`{"id":"7,"result":1}`:                                         nil,
		`{"id":7`:                                                      nil, // incomplete: it may continue
		`{"result":{"x":"` + long + `","id":7,"y":"` + long + `"}}`:    nil,
		`{"id":99999999999999999999,"result":1}`:                       nil,
		`{"kid":7,"x":{"idx":8},"id":null,"result":{"x":1,"id":true}}`: nil,
	} {
		if got := slices.Collect(httptransport.In(httptransport.Ends([]byte(text)))); !slices.Equal(got, want) {
			t.Errorf("the ids of %.60s are %d, want %d", text, got, want)
		}
	}
}

func TestIsAnswer(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for text, want := range map[string]bool{
		`{"id":7,"result":{"method":"tools/call"},"x":NaN}`:           true,
		`{"id":7,"error":{"code":"E"}}`:                               true,
		`{'id': 7, 'result': None}`:                                   true,
		`{"id":7,"x":"` + long + `","result":1}`:                      true,
		`got {"id":7,"method":"tools/call","params":{"result":true}}`: false,
		`{"id":7,"x":"result"}`:                                       false,
		`no JSON`:                                                     false,
	} {
		if got := httptransport.IsAnswer([]byte(text)); got != want {
			t.Errorf("IsAnswer(%.60s) = %t", text, got)
		}
	}
}

// FuzzParse checks that Parse returns the value that is written, and that no text causes a panic.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`7`, `"7"`, `7.0`, `1e5`, `"`, `-0`, `{"id":7,"result":`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, ok := httptransport.Parse([]byte(text))
		if again, is := httptransport.Parse([]byte(strconv.FormatInt(id, 10))); ok && (!is || again != id) {
			t.Errorf("Parse(%q) = %d, and of that %d", text, id, again)
		}
		_ = httptransport.IsAnswer([]byte(text))
		for range httptransport.In(httptransport.Ends([]byte(text))) {
			continue
		}
	})
}
