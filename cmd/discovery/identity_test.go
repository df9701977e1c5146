package discovery_test

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/toolscript/toolscript/cmd/discovery"
)

func TestClient(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        int // 0 if an error is expected
	}{
		{"named", strconv.Itoa(os.Getpid()), os.Getpid()},
		{"the parent", "", os.Getppid()},
		{"no number", "x", 0},
		{"no process id", "-1", 0},
		{"ended", strconv.Itoa(1 << 30), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := discovery.Client(lookup(map[string]string{"CLAUDE_PID": tt.value}))
			if (err != nil) != (tt.want == 0) || err == nil && got.PID != tt.want {
				t.Errorf("Client = %v, %v; want process %d", got, err, tt.want)
			}
		})
	}
}

func TestParseProcess(t *testing.T) {
	p := discovery.Process{PID: 12, StartTime: 34}
	if got, err := discovery.ParseProcess(p.String()); got != p || err != nil {
		t.Errorf("ParseProcess(%s) = %v, %v", p, got, err)
	}
	for _, text := range []string{"", "12", "12-", "-34", "0-1", "a-b", "12-34-56"} {
		if got, err := discovery.ParseProcess(text); err == nil {
			t.Errorf("ParseProcess(%q) = %v, want an error", text, got)
		}
	}
}

// TestStop: Stop does not signal a process that reuses the id of an ended one.
func TestStop(t *testing.T) {
	cat := exec.CommandContext(t.Context(), "cat")
	stdin, err := cat.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cat.Start(); err != nil {
		t.Skip(err)
	}
	p, err := discovery.Identify(cat.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	earlier := p
	earlier.StartTime--
	if gone, known := earlier.Gone(); !gone || !known {
		t.Errorf("Gone of an earlier process = %v, %v", gone, known)
	}
	unknown := discovery.Process{PID: p.PID}
	for _, other := range []discovery.Process{earlier, unknown, {PID: 1 << 30, StartTime: 1}} {
		if err := other.Stop(); err != nil {
			t.Errorf("Stop of %v: %v", other, err)
		}
	}
	if err := stdin.Close(); err != nil { // the process then ends with exit code 0, unless it got a signal
		t.Fatal(err)
	}
	if err := cat.Wait(); err != nil {
		t.Errorf("the process with the same id was stopped: %v", err)
	}
	if gone, known := p.Gone(); !gone || !known {
		t.Errorf("Gone after the end = %v, %v", gone, known)
	}
}

func TestOfClient(t *testing.T) {
	folder := discovery.In(t.TempDir())
	client := discovery.Process{PID: 1, StartTime: 2}
	own := write(t, folder, discovery.Entry{URL: capability, Client: &client})
	for _, tt := range []struct {
		client discovery.Process
		want   int
	}{{client, 1}, {discovery.Process{PID: 1, StartTime: 3}, 0}, {own.Process(), 0}} {
		if got, err := folder.OfClient(tt.client); err != nil || len(got) != tt.want {
			t.Errorf("OfClient(%v) = %v, %v; want %d", tt.client, got, err, tt.want)
		}
	}
}
