package telemetry_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/telemetry"
)

// full are Measures with a value for every metric.
var full = toolscript.Measures{
	Servers:   []toolscript.ServerMeasures{{ServerStatus: toolscript.ServerStatus{Name: "a"}, Outcomes: map[string]uint64{"ok": 1}}},
	Tools:     []toolscript.ToolMeasures{{Server: "a", Tool: "a__b", Outcomes: map[string]uint64{"ok": 1}}},
	Runs:      toolscript.RunMeasures{Outcomes: map[string]uint64{"ok": 1}},
	Unrouted:  map[string]uint64{"not_found": 1},
	CacheHits: map[string]uint64{"compiled": 1},
	Actors:    []toolscript.ActorStatus{{Name: "runs"}},
}

// labels returns the labels of each metric.
func labels(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, family := range parsed(t, full) {
		if len(family.GetMetric()) == 0 {
			t.Errorf("%s has no value", name)
			continue
		}
		var names []string
		for _, l := range family.GetMetric()[0].GetLabel() {
			names = append(names, l.GetName())
		}
		all[name] = strings.Join(names, ", ")
	}
	return all
}

// The table in the documentation lists exactly the metrics that exist, with their labels.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Metrics\n")
	section, _, _ = strings.Cut(section, "\n## ")
	want := labels(t)
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|([^|]*)\\| [^|]+ \\|$")
	found := 0
	for _, match := range row.FindAllStringSubmatch(section, -1) {
		got, known := want[match[1]]
		if !known {
			t.Errorf("docs/operating.md has %s, which is no metric", match[1])
			continue
		}
		found++
		if said := strings.TrimSpace(strings.ReplaceAll(match[2], "`", "")); said != got {
			t.Errorf("docs/operating.md gives %s the labels %q, want %q", match[1], said, got)
		}
	}
	if found != len(want) {
		t.Errorf("docs/operating.md has %d of %d metrics", found, len(want))
	}
}

// The dashboard shows exactly the existing metrics, with their labels.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
		Templating struct {
			List []struct{ Type, Query string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	known, shown := labels(t), map[string]bool{}
	histograms := map[string]bool{}
	for _, f := range telemetry.Families(full) {
		histograms[f.PrometheusName()] = f.Kind == telemetry.Histogram
	}
	metric := regexp.MustCompile(`\b(?:toolscript|mcp|go|process)_[a-z_]+`)
	label := regexp.MustCompile(`([a-z_]+)(?:=~|!=|=)"|(?:by|ignoring) \(([a-z_, ]+)\)|\{\{([a-z_]+)\}\}`)
	examine := func(title, query string) {
		var names []string
		for _, name := range metric.FindAllString(query, -1) {
			if base, bucket := strings.CutSuffix(name, "_bucket"); bucket && histograms[base] {
				name = base
			} else if histograms[name] {
				t.Errorf("%q shows the histogram %s without _bucket", title, name)
			}
			if _, ok := known[name]; !ok {
				t.Errorf("%q shows %s, which is no metric", title, name)
			}
			shown[name] = true
			names = append(names, strings.Split(known[name], ", ")...)
		}
		for _, match := range label.FindAllStringSubmatch(query, -1) {
			for name := range strings.SplitSeq(match[1]+match[2]+match[3], ", ") {
				if name != "le" && !slices.Contains(names, name) {
					t.Errorf("%q uses the label %q; its metrics have %q", title, name, names)
				}
			}
		}
	}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			examine(panel.Title, target.Expr+" "+target.LegendFormat)
		}
	}
	for _, variable := range dashboard.Templating.List {
		if match := regexp.MustCompile(`^label_values\(([a-z_]+), ([a-z_]+)\)$`).FindStringSubmatch(variable.Query); match != nil && known[match[1]] != match[2] {
			t.Errorf("the variable asks for %s of %s", match[2], match[1])
		}
	}
	for name := range known {
		if !shown[name] {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
}
