package sandbox_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// escapeFolder contains one attempt per file. The first lines are
//
//	// engine: quickjs, deno or both
//	// expect: a regular expression that the whole outcome must match
//
// and a description of the attempt. OTHER stands for the port of a server that no script may reach,
// SECRET for a file that only its owner may read, SPENT for the capability of a run that has
// ended.
const escapeFolder = "testdata/escape"

// secret must not appear in any outcome, whatever the attempt expects.
const secret = "the-secret-of-the-host"

var header = regexp.MustCompile(`(?m)^// (engine|expect|cpuMs): (.+)$`)

// TestEscapes runs attempts to leave the sandbox. With -short it runs a quarter of them, and still takes
// more than 10 s, because an endless script runs until its limit of processor time.
func TestEscapes(t *testing.T) {
	t.Setenv("TOOLSCRIPT_TEST_SECRET", secret)
	g := newGateway(t)
	var reached atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		_, _ = w.Write([]byte(secret))
	}))
	defer other.Close()
	_, port, err := net.SplitHostPort(other.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder(t), "secret.json")
	if err := os.WriteFile(file, []byte(`{"secret":"`+secret+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	spent := ""
	if slices.Contains(engines, toolscript.EngineDeno) {
		r := g.exec(t, toolscript.ExecRequest{Code: `return Deno.env.get("TOOLSCRIPT_GATEWAY_URL")`, Rules: toolscript.Rules{Engine: toolscript.EngineDeno}}, "")
		spent = strings.Trim(string(r.end.Value), `"`)
	}
	fill := strings.NewReplacer("OTHER", port, "SECRET", filepath.ToSlash(file), "SPENT", spent)

	files, err := filepath.Glob(filepath.Join(escapeFolder, "*.ts"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d attempts, %v", len(files), err)
	}
	attempts := 0
	for i, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]string{}
		for _, line := range header.FindAllStringSubmatch(string(text), -1) {
			said[line[1]] = line[2]
		}
		expect, err := regexp.Compile("(?s)" + said["expect"])
		if err != nil || said["expect"] == "" {
			t.Fatalf("%s says not what to expect: %v", path, err)
		}
		limit := 2 * time.Second
		if testing.Short() {
			limit = time.Second
		}
		if most := said["cpuMs"]; most != "" { // for a script that reaches another limit, or ends by itself
			ms, err := strconv.ParseInt(most, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			limit = pace.Limit(time.Duration(ms) * time.Millisecond)
		}
		for _, engine := range engines {
			if said["engine"] != "both" && said["engine"] != engine || testing.Short() && (i%8 != 0 || engine == toolscript.EngineDeno && i%3 != 0) {
				continue
			}
			attempts++
			t.Run(strings.TrimSuffix(filepath.Base(path), ".ts")+"/"+engine, func(t *testing.T) {
				r := g.exec(t, toolscript.ExecRequest{
					Code:   fill.Replace(string(text)),
					Limits: toolscript.Limits{CPUMs: limit.Milliseconds()},
					Rules:  toolscript.Rules{Engine: engine, Check: "off", Allow: []string{"demo__echo"}},
				}, "")
				got := r.String()
				if !expect.MatchString(got) {
					t.Errorf("the outcome is\n%s\nwant %s", got, said["expect"])
				}
				if strings.Contains(got, secret) || strings.Contains(got, "root:") {
					t.Errorf("the outcome holds a secret:\n%s", got)
				}
			})
		}
	}
	if n := reached.Load(); n > 0 {
		t.Errorf("scripts have reached another server %d times", n)
	}
	t.Logf("%d attempts", attempts)
}
