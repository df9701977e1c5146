package cli_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
)

func TestDoctorShowsTheReportOfEachWorker(t *testing.T) {
	w := newWorld(t, nil)
	r := w.run(t, "doctor", "--json")
	var found struct {
		Version, Platform, Engine string
		Workers                   []struct {
			Role        string
			StartMs     float64
			Confinement []toolscript.Confinement
		}
		Findings []struct{ Level, Subject, Problem, Fix string }
	}
	if err := json.Unmarshal([]byte(r.stdout), &found); err != nil || r.code != 0 {
		t.Fatalf("%v: %+v", err, r)
	}
	if found.Version != toolscript.Version || found.Engine == "" || len(found.Workers) != 2 {
		t.Errorf("found %+v", found)
	}
	missing := 0
	for _, worker := range found.Workers {
		if len(worker.Confinement) < 6 || worker.StartMs <= 0 {
			t.Errorf("%s: %+v", worker.Role, worker)
		}
		for _, part := range worker.Confinement {
			if !part.Active {
				missing++
			}
		}
	}
	about := 0
	for _, f := range found.Findings {
		if f.Subject == "sandbox" || f.Subject == "checker" {
			about++
		}
	}
	if missing != about {
		t.Errorf("%d parts are missing, and %+v is said about them", missing, found.Findings)
	}
	text := w.run(t, "doctor")
	for _, word := range []string{found.Engine, "sandbox", "checker", "landlock", "seccomp", "environment"} {
		if !strings.Contains(text.stdout, word) {
			t.Errorf("the text lacks %q:\n%s", word, text.stdout)
		}
	}
}

// TestDoctorWithoutAHome: a missing cache is not an error, because it only costs time.
func TestDoctorWithoutAHome(t *testing.T) {
	w := newWorld(t, map[string]string{"file": ""})
	r := w.run(t, "doctor", "--data-dir", filepath.Join(filepath.Dir(w.dir), "file", "below"))
	if r.code != 0 || !strings.Contains(r.stdout, "warning: cache: ") {
		t.Errorf("doctor without a folder: %+v", r)
	}
}

func TestStatusHasConfinement(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	gatewayAt(t, w)
	if r := w.run(t, "exec", "return 1"); r.code != 0 {
		t.Fatalf("exec: %+v", r)
	}
	r := w.run(t, "gateway", "status", "--json")
	var status toolscript.Status
	if err := json.Unmarshal([]byte(r.stdout), &status); err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	confined := 0
	for _, actor := range status.Actors {
		if len(actor.Confinement) > 0 {
			confined++
		}
	}
	if confined != 2 {
		t.Errorf("%d pools of workers have their confinement in the status, want 2: %s", confined, r.stdout)
	}
}

// TestDoctorExaminesDeno: doctor starts an installed Deno in the same way as a worker does.
func TestDoctorExaminesDeno(t *testing.T) {
	pinned := pinnedDeno(t)
	w := newWorld(t, nil)
	w.env = append(w.env, "TOOLSCRIPT_DENO="+pinned)
	r := w.run(t, "doctor", "--json")
	var found struct {
		Deno    toolscript.EngineStatus
		Workers []struct {
			Role        string
			StartMs     float64
			Confinement []toolscript.Confinement
			Error       string
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &found); err != nil || r.code != 0 || len(found.Workers) != 3 {
		t.Fatalf("%v: %+v", err, r)
	}
	last := found.Workers[2]
	if !found.Deno.Available || found.Deno.Path != pinned || last.Role != "deno" || last.StartMs <= 0 || last.Error != "" || len(last.Confinement) != 3 {
		t.Errorf("deno: %+v, %+v", found.Deno, last)
	}
	if text := w.run(t, "doctor").stdout; !strings.Contains(text, pinned) || !strings.Contains(text, "permissions") {
		t.Errorf("the text says nothing of Deno:\n%s", text)
	}
	w.env = append(w.env, "TOOLSCRIPT_DENO="+pinned+"-not")
	if text := w.run(t, "doctor"); text.code != 0 || !strings.Contains(text.stdout, "TOOLSCRIPT_DENO") {
		t.Errorf("doctor without Deno: %+v", text)
	}
}
