package telemetry

import (
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript"
)

// ContentType is the content type of WriteText: the text format of Prometheus.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// WriteText writes metrics in the text format of Prometheus.
func WriteText(to io.Writer, families []Family) error {
	var t text
	for _, f := range families {
		t.family(f)
	}
	_, err := to.Write(t.b)
	return err
}

// units maps units to suffixes of names in Prometheus.
var units = map[string]string{"s": "_seconds", "By": "_bytes"}

// PrometheusName returns the name of a metric in Prometheus. The name has a suffix for the unit, and
// _total if the metric is a counter.
func (f Family) PrometheusName() string {
	name := prometheusLabel(f.Name) + units[f.Unit]
	if f.Kind == Counter {
		name += "_total"
	}
	return name
}

func prometheusLabel(name string) string { return strings.ReplaceAll(name, ".", "_") }

type text struct{ b []byte }

func (t *text) add(parts ...string) {
	for _, part := range parts {
		t.b = append(t.b, part...)
	}
}

var escapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func (t *text) family(f Family) {
	name := f.PrometheusName()
	t.add("# HELP ", name, " ", f.Help, "\n# TYPE ", name, " ", string(f.Kind), "\n")
	for _, p := range f.Points {
		if p.Durations != nil {
			t.durations(name, p)
			continue
		}
		t.sample(name, p.Labels, "", p.Value)
	}
}

func (t *text) sample(name string, labels []Label, le string, value float64) {
	t.add(name)
	separator := "{"
	for _, l := range labels {
		t.add(separator, prometheusLabel(l.Name), `="`, escapes.Replace(strings.ToValidUTF8(l.Value, "\ufffd")), `"`)
		separator = ","
	}
	if le != "" {
		t.add(separator, `le="`, le, `"`)
		separator = ","
	}
	if separator == "," {
		t.add("}")
	}
	t.add(" ", number(value), "\n")
}

func (t *text) durations(name string, p Point) {
	n := uint64(0)
	for i, count := range p.Durations.Counts {
		bound := math.Inf(1)
		if i < len(toolscript.DurationBounds) {
			bound = toolscript.DurationBounds[i].Seconds()
		}
		n += count
		t.sample(name+"_bucket", p.Labels, number(bound), float64(n))
	}
	t.sample(name+"_sum", p.Labels, "", p.Durations.Sum.Seconds())
	t.sample(name+"_count", p.Labels, "", float64(n))
}

func number(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
