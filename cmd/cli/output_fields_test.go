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
	"github.com/toolscript/toolscript/cmd/approvals"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/confine"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/doctor"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/gateways"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/cmd/runs"
	"github.com/toolscript/toolscript/cmd/setup"
	"github.com/toolscript/toolscript/cmd/status"
	"github.com/toolscript/toolscript/transport/api"
)

// documented holds the row types that docs/output.md describes.
var documented = map[string]any{
	"`status servers`, `list-servers`, `servers restart`": toolscript.ServerStatus{},
	"`list-tools`":                               api.ToolInfo{},
	"`search`":                                   toolscript.SearchAnswer{},
	"`search`, each of `results`":                toolscript.SearchHit{},
	"`status`, `gateway status`":                 toolscript.Status{},
	"`status gateways`, `gateway list`":          status.Item{},
	"`status runs`":                              toolscript.RunEntry{},
	"`status sessions`":                          toolscript.SessionEntry{},
	"`status actors`":                            toolscript.ActorEntry{},
	"`gateway start`":                            discovery.Started{},
	"`gateway stop`, `gateway restart`":          gateways.StoppedGateway{},
	"`gateway prune`":                            gateways.Pruned{},
	"`gateway reload`":                           toolscript.Reload{},
	"`gateway reload --dry-run`":                 toolscript.ReloadPlan{},
	"`hub`":                                      hub.StartedHub{},
	"`status fleet`":                             hub.FleetStatus{},
	"`status fleet`, each of `servers`":          hub.FleetServer{},
	"`status fleet`, each of `runners`":          hub.FleetRunner{},
	"`hub --serve`, `hub --runners`":             hub.JoinedFleet{},
	"`status hub`":                               hub.Status{},
	"`status hub`, each of `servers`":            hub.Server{},
	"`status hub`, each of `gateways`":           hub.Gateway{},
	"`hub stop`":                                 hub.StoppedHub{},
	"`hub drain`":                                hub.DrainedHubs{},
	"`hub release`":                              hub.ReleasedLease{},
	"`hub credentials`":                          hub.Credentials{},
	"`auth`":                                     setup.LoginState{},
	"`trust`":                                    setup.TrustResult{},
	"`secret set`":                               setup.SavedSecret{},
	"`secret list`":                              setup.ListedSecret{},
	"`secret confirm`":                           setup.ConfirmedSecret{},
	"`secret import`":                            setup.ImportedSecrets{},
	"`secret remove`":                            setup.RemovedSecret{},
	"`save`":                                     exec.SavedResult{},
	"`scripts`, each script":                     exec.ListedScript{},
	"`config validate`":                          setup.Verdict{},
	"`init`, `add`, `connect`, `config import`":  clients.Result{},
	"`confine suggest`":                          confine.SuggestedProfile{},
	"`add`, if several servers have the text":    setup.FoundServer{},
	"`doctor`":                                   doctor.Report{},
	"`doctor`, each of `findings`":               doctor.Finding{},
	"`runs list`, `runs show`":                   runs.Run{},
	"`runs output`, of a run that has not ended": exec.Unfinished{},
	"`runs replay`":                              runs.ReplayReport{},
	"`runs diff`":                                runs.Difference{},
	"`audit verify`":                             runs.AuditReport{},
	"`usage`":                                    runs.UsageReport{},
	"`usage`, each of `servers`":                 runs.ServerUsage{},
	"`usage`, each of `tools`":                   runs.ToolUsage{},
	"`usage`, `work`":                            runs.WorkUsage{},
	"`usage`, each of `exclude`":                 runs.UsageAdvice{},
	"`pins list`, `pins diff`":                   approvals.PinnedServer{},
	"`pins accept`":                              approvals.AcceptedPins{},
	"`dashboard`":                                gateways.DashboardShown{},
	"`logs`":                                     gateways.LogLine{},
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
