package sandbox_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// intlCases is the file of Intl expressions with their values in Node.js.
const intlCases = "../../runner/quickjs/intl/testdata/cases.json"

// denoLocales is the file of Deno's results that differ from those of Node.js, by reason.
const denoLocales = "testdata/deno-locales.txt"

// denoReasons are the reasons why Deno differs from Node.js. QuickJS must not differ.
var denoReasons = []struct {
	reason string
	of     *regexp.Regexp // matches the differing cases
}{
	{"V8 replaces narrow blanks in the parts of dates too", regexp.MustCompile(`formatToParts.*\x{202f}`)},
	{"V8 has plural rules for other notations", regexp.MustCompile(`PluralRules.*"notation"`)},
	{"the data are those of an older version of CLDR", regexp.MustCompile(``)},
}

// TestLocalesAsInNode runs the cases of package intl on both engines, in their worker
// processes.
func TestLocalesAsInNode(t *testing.T) {
	var data struct {
		Cases []struct{ Expression, Want string }
	}
	text, err := os.ReadFile(intlCases)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &data); err != nil || len(data.Cases) < 300 {
		t.Fatalf("%d cases, %v, want at least 300", len(data.Cases), err)
	}
	g := newGateway(t)
	differing := map[string][]string{}
	const each = 250
	if testing.Short() { // every fourth case
		n := 0
		data.Cases = slices.DeleteFunc(data.Cases, func(struct{ Expression, Want string }) bool { n++; return n%4 != 0 })
	}
	for from := 0; from < len(data.Cases); from += each {
		part := data.Cases[from:min(from+each, len(data.Cases))]
		var code strings.Builder
		code.WriteString("const results = []; const run = async (f) => { try { results.push(JSON.stringify(await f()) ?? 'undefined') } catch (e) { results.push(`throws ${e.name}`) } };\n")
		for _, one := range part {
			fmt.Fprintf(&code, "await run(async () => (%s));\n", one.Expression)
		}
		code.WriteString("return results;")
		for _, engine := range engines {
			request := toolscript.ExecRequest{Code: code.String(), Limits: toolscript.Limits{TimeoutMs: pace.Limit(time.Minute).Milliseconds()}, Rules: toolscript.Rules{Engine: engine, Check: "off", TZ: "UTC"}}
			end := g.execInTime(t, request, "").end
			var got []string
			if err := json.Unmarshal(end.Value, &got); err != nil || len(got) != len(part) {
				t.Fatalf("on %s: %d results, %v, %+v", engine, len(got), err, end.Error)
			}
			for i, one := range part {
				switch {
				case got[i] == one.Want:
				case engine == toolscript.EngineDeno:
					line := fmt.Sprintf("%s\n\tnode %s\n\tdeno %s", one.Expression, one.Want, got[i])
					reason := reasonOf(line)
					differing[reason] = append(differing[reason], line)
				default:
					t.Errorf("%s\n got %s\nwant %s", one.Expression, got[i], one.Want)
				}
			}
		}
	}
	if !testing.Short() && slices.Contains(engines, toolscript.EngineDeno) { // only if all cases have run
		checkDenoLocales(t, differing)
	}
}

func reasonOf(line string) string {
	i := slices.IndexFunc(denoReasons, func(r struct {
		reason string
		of     *regexp.Regexp
	}) bool {
		return r.of.MatchString(strings.ReplaceAll(line, "\n", " "))
	})
	return denoReasons[i].reason
}

// checkDenoLocales compares the differences with those that denoLocales lists.
func checkDenoLocales(t *testing.T, differing map[string][]string) {
	t.Helper()
	var b strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(differing)) {
		fmt.Fprintf(&b, "# %s\n%s\n\n", reason, strings.Join(differing[reason], "\n"))
	}
	if *update {
		if err := os.WriteFile(denoLocales, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	listed, err := os.ReadFile(denoLocales)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(listed) {
		t.Errorf("Deno differs from Node.js otherwise than %s says; run the test with -update and read the difference:\n%s", denoLocales, b.String())
	}
}
