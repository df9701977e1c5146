package cli

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/doctor"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/runs"
	"github.com/toolscript/toolscript/cmd/status"
	"github.com/toolscript/toolscript/transport/api"
)

// documented holds the row types that docs/output.md describes.
var documented = map[string]any{
	"`list-servers`, `servers restart`":          toolscript.ServerStatus{},
	"`list-tools`":                               api.ToolInfo{},
	"`search`":                                   toolscript.SearchAnswer{},
	"`search`, each of `results`":                toolscript.SearchHit{},
	"`status`, `gateway status`":                 toolscript.Status{},
	"`status --all`":                             status.Item{},
	"`gateway start`":                            discovery.Started{},
	"`gateway list`":                             listedGateway{},
	"`gateway stop`, `gateway restart`":          stoppedGateway{},
	"`gateway prune`":                            pruned{},
	"`gateway reload`":                           toolscript.Reload{},
	"`gateway reload --dry-run`":                 toolscript.ReloadPlan{},
	"`hub`":                                      startedHub{},
	"`fleet status`":                             fleetStatus{},
	"`fleet status`, each of `servers`":          fleetServer{},
	"`fleet status`, each of `runners`":          fleetRunner{},
	"`hub --serve`, `hub --runners`":             joinedFleet{},
	"`hub status`":                               hubStatus{},
	"`hub status`, each of `servers`":            hubServer{},
	"`hub status`, each of `gateways`":           hubGateway{},
	"`hub stop`":                                 stoppedHub{},
	"`hub drain`":                                drainedHubs{},
	"`hub release`":                              releasedLease{},
	"`hub credentials`":                          hubCredentials{},
	"`auth`":                                     loginState{},
	"`trust`":                                    trustResult{},
	"`secret set`":                               savedSecret{},
	"`secret list`":                              listedSecret{},
	"`secret confirm`":                           confirmedSecret{},
	"`secret import`":                            importedSecrets{},
	"`secret remove`":                            removedSecret{},
	"`save`":                                     savedResult{},
	"`scripts`, each script":                     listedScript{},
	"`config validate`":                          verdict{},
	"`init`, `add`, `connect`, `config import`":  clients.Result{},
	"`confine suggest`":                          suggestedProfile{},
	"`add`, if several servers have the text":    foundServer{},
	"`doctor`":                                   doctor.Report{},
	"`doctor`, each of `findings`":               doctor.Finding{},
	"`runs list`, `runs show`":                   runs.Run{},
	"`runs output`, of a run that has not ended": exec.Unfinished{},
	"`runs replay`":                              runs.ReplayReport{},
	"`runs diff`":                                runs.Difference{},
	"`audit verify`":                             auditReport{},
	"`usage`":                                    runs.UsageReport{},
	"`usage`, each of `servers`":                 runs.ServerUsage{},
	"`usage`, each of `tools`":                   runs.ToolUsage{},
	"`usage`, `work`":                            runs.WorkUsage{},
	"`usage`, each of `exclude`":                 runs.UsageAdvice{},
	"`pins list`, `pins diff`":                   pinnedServer{},
	"`pins accept`":                              acceptedPins{},
	"`dashboard`":                                dashboardShown{},
	"`logs`":                                     logLine{},
	"`version`":                                  versionInfo{},
}

var (
	outputRow = regexp.MustCompile("(?m)^\\| (`[^|]*) \\| [^|]* \\| ([^|]*) \\|$")
	remark    = regexp.MustCompile(`\([^)]*\)`)
	codeSpan  = regexp.MustCompile("`([^`]+)`")
)

// TestDocumentedFields compares docs/output.md with the output of the commands.
func TestDocumentedFields(t *testing.T) {
	text, err := os.ReadFile("../../docs/output.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for _, row := range outputRow.FindAllStringSubmatch(string(text), -1) {
		for _, name := range codeSpan.FindAllStringSubmatch(remark.ReplaceAllString(row[2], ""), -1) {
			rows[row[1]] = append(rows[row[1]], name[1])
		}
	}
	for command, value := range documented {
		want := members(reflect.TypeOf(value))
		if got := rows[command]; !slices.Equal(got, want) {
			t.Errorf("%s: docs/output.md has %v, want %v", command, got, want)
		}
	}
	if len(rows) != len(documented) {
		t.Errorf("docs/output.md has %v", slices.Sorted(maps.Keys(rows)))
	}
}

// members returns the JSON names of a struct's fields, with a question mark after optional ones.
func members(of reflect.Type) (names []string) {
	for f := range of.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			names = append(names, members(f.Type)...)
		case name == "-" || !f.IsExported():
		case strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero"):
			names = append(names, name+"?")
		default:
			names = append(names, name)
		}
	}
	return names
}
