package daemon

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/transport/upstream"
)

func servers(secrets map[string]string) map[string]upstream.Config {
	return map[string]upstream.Config{"a": {Secrets: secrets}}
}

// TestEarlierSecretsAreKnown: a secret's earlier value is still recognized after it was replaced;
// values of variables are not secrets.
func TestEarlierSecretsAreKnown(t *testing.T) {
	var k knownSecrets
	if got := k.with(nil); len(got) > 0 {
		t.Errorf("the zero value has %v", got)
	}
	k.add(servers(map[string]string{"${secret:A}": "first-value", "${V}": "a variable"}))
	k.add(servers(map[string]string{"${secret:A}": "second-value"}))
	k.add(servers(nil))
	want := map[string]string{"(key)": "k", "${secret:A}": "second-value", "(value 1 of ${secret:A})": "first-value"}
	if diff := cmp.Diff(want, k.with(map[string]string{"(key)": "k"})); diff != "" {
		t.Error(diff)
	}
	for i := range 2 * mostEarlier {
		k.add(servers(map[string]string{"${secret:A}": fmt.Sprintf("value-%d", i)}))
	}
	if got := len(k.with(nil)); got != mostEarlier+1 {
		t.Errorf("%d values are kept", got)
	}
}

func TestRecordingHasNoSecrets(t *testing.T) {
	const value = `se"sa<me> 12`
	var k knownSecrets
	made := kept.Recording{Version: kept.RecordingVersion, Code: "return 'se\"sa<me> 12'", Stdin: []byte("x" + value), Calls: []kept.RecordedCall{
		{ID: "a__b", Args: json.RawMessage(`{"text":"se\"sa<me> 12"}`), Value: json.RawMessage(`["TOKEN=se\"sa<me> 12"]`)},
	}}
	if got, err := k.clean(made); err != nil || cmp.Diff(made, got) != "" {
		t.Errorf("without secrets: %v %s", err, cmp.Diff(made, got))
	}
	k.add(servers(map[string]string{"${secret:A}": value}))
	got, err := k.clean(made)
	if err != nil {
		t.Fatal(err)
	}
	if got.Code != "return '${secret:A}'" || string(got.Stdin) != "x${secret:A}" || string(got.Calls[0].Args) != `{"text":"${secret:A}"}` ||
		string(got.Calls[0].Value) != `["TOKEN=${secret:A}"]` || got.Version != kept.RecordingVersion {
		t.Errorf("%+v", got)
	}

	// A value that cannot be redacted is not kept: here the secret is a number in the answer.
	k.add(servers(map[string]string{"${secret:B}": "1234567890"}))
	made.Calls[0].Value = json.RawMessage(`[1234567890]`)
	if got, err := k.clean(made); err == nil || strings.Contains(fmt.Sprintf("%v", got), "1234567890") {
		t.Errorf("%v %v", got, err)
	}
}
