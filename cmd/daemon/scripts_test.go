package daemon

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// TestSigned: a saved script with unknown parameters is not offered, and the reason names its file.
func TestSigned(t *testing.T) {
	finding := func(code string) []toolscript.Diagnostic {
		return []toolscript.Diagnostic{{Code: code, Line: 3, Column: 5, Message: "the reason"}}
	}
	for name, tt := range map[string]struct {
		sig   runner.Signature
		found []toolscript.Diagnostic
		err   error
		want  string // reason why the script is not offered; "" if it is
	}{
		"known":                    {sig: runner.Signature{Function: true}},
		"a type that is unclear":   {sig: runner.Signature{Function: true, Found: finding("TS1")}},
		"no function":              {},
		"not to be called":         {sig: runner.Signature{Fatal: true, Found: finding("TS1")}, want: "a.ts:3:5: the reason"},
		"too much for the checker": {sig: runner.Signature{Found: finding(runner.CodeLimit)}, want: "a.ts:3:5: the reason"},
		"does not compile":         {found: finding("TS1"), want: "a.ts:3:5: the reason"},
		"the checker was lost":     {err: errors.New("killed"), want: "a.ts: killed"},
	} {
		t.Run(name, func(t *testing.T) {
			sign := func(_ context.Context, src runner.Source) (runner.Signature, []toolscript.Diagnostic, error) {
				if src.File != "a.ts" || src.Code != "code" {
					t.Errorf("source %+v", src)
				}
				return tt.sig, tt.found, tt.err
			}
			_, err := signed(t.Context(), sign, toolscript.SavedScript{Name: "a", Path: "a.ts", Code: "code"})
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
