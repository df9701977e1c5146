//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

const loopback = "127.0.0.1"

// process is a NATS server or a hub.
type process struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	monitor int // monitoring port of a NATS server; 0: a hub
}

// start runs this program in a role, whose settings have a JSON form, and waits until it is ready.
func start(ctx context.Context, role string, settings any) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, self, role, string(text))}
	p.cmd.Stderr = os.Stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		p.kill()
		return nil, fmt.Errorf("%s did not start", role)
	}
	return p, nil
}

// kill kills the process with SIGKILL.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	_ = p.cmd.Wait()         // killed, so an error is expected
}

// usage holds what a process uses: private memory in bytes, and CPU time.
type usage struct {
	memory int64
	cpu    time.Duration
}

func (u usage) minus(o usage) usage { return usage{u.memory - o.memory, u.cpu - o.cpu} }

func (u usage) plus(o usage) usage { return usage{u.memory + o.memory, u.cpu + o.cpu} }

// usageOf returns the usage of a process so far.
func usageOf(pid int) (usage, error) {
	dirty, clean, err := harness.Private(pid)
	return usage{int64((dirty + clean) * (1 << 20)), harness.OwnCPU(pid)}, err
}

// traffic counts what the NATS servers have sent to and received from clients and each other.
type traffic struct {
	InMsgs        int64 `json:"in_msgs"`
	OutMsgs       int64 `json:"out_msgs"`
	InBytes       int64 `json:"in_bytes"`
	OutBytes      int64 `json:"out_bytes"`
	Subscriptions int64 `json:"subscriptions"`
	Connections   int64 `json:"connections"`
}

func (t traffic) minus(o traffic) traffic {
	return traffic{t.InMsgs - o.InMsgs, t.OutMsgs - o.OutMsgs, t.InBytes - o.InBytes, t.OutBytes - o.OutBytes, t.Subscriptions, t.Connections}
}

// trafficOf returns the traffic of a NATS server, by its monitoring port.
func trafficOf(ctx context.Context, port int) (t traffic, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s:%d/varz", loopback, port), http.NoBody)
	if err != nil {
		return t, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return t, err
	}
	defer func() { _ = answer.Body.Close() }() // only read, so an error is harmless
	return t, json.NewDecoder(answer.Body).Decode(&t)
}
