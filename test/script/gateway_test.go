package script_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/cli"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// fleetKey is the key of the fleet in the values of a script.
type fleetKey struct{}

// fleet holds the running gateways of one script, the last started one at the end.
type fleet struct {
	t       testscript.T
	running []*gateway
}

// stopBound is the time limit, on an idle machine, for the end of a gateway, whose own limit is 5 s.
const stopBound = 10 * time.Second

type gateway struct {
	cmd     *exec.Cmd
	process discovery.Process
	stdout  *bufio.Reader
	stderr  strings.Builder
}

var (
	listening = regexp.MustCompile(`^Gateway server listening on (http://\S+)\n$`)
	export    = regexp.MustCompile(`^export TOOLSCRIPT_GATEWAY_URL=(http://\S+)\n$`)
)

// startGateway is the script command "gateway [flags]". It runs toolscript gateway start until the
// end of the script. $GATEWAY is the gateway's address, $PORT its port and $URL its capability URL.
func startGateway(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("use ! exec toolscript gateway start")
	}
	ts.Check(ts.Exec("variables"))
	g := &gateway{cmd: exec.Command("toolscript", append([]string{"gateway", "start"}, args...)...)}
	g.cmd.Env = strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	g.cmd.Dir = ts.MkAbs(".")
	g.cmd.Stderr = &g.stderr
	pipe, err := g.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(g.cmd.Start())
	g.process, err = discovery.Identify(g.cmd.Process.Pid)
	ts.Check(err)
	g.stdout = bufio.NewReader(pipe)
	address := g.expect(ts, listening)
	ts.Setenv("GATEWAY", address)
	ts.Setenv("PORT", address[strings.LastIndexByte(address, ':')+1:])
	ts.Setenv("GATEWAY_PID", strconv.Itoa(g.cmd.Process.Pid))
	ts.Setenv("URL", g.expect(ts, export))

	all := ts.Value(fleetKey{}).(*fleet)
	all.running = append(all.running, g)
	ts.Defer(func() {
		defer func() {
			if failed := recover(); failed != nil { // after the last command, testscript would end the whole test
				all.t.Log(failed)
				all.t.FailNow()
			}
		}()
		if i := slices.Index(all.running, g); i >= 0 {
			all.running = slices.Delete(all.running, i, i+1)
			g.stop(ts)
		}
	})
}

// endBackground ends the gateways that a failed script has left in the background, and the hub that a
// gateway has started.
func endBackground(env *testscript.Env) {
	left, err := discovery.In(env.Getenv("TOOLSCRIPT_RUNTIME_DIR")).List()
	for _, e := range left {
		err = errors.Join(err, e.Process().Stop())
	}
	var stderr strings.Builder
	stop := app.State{Args: []string{"hub", "stop"}, Env: env.Vars, Dir: env.WorkDir, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &stderr}
	if cli.Run(stop) != 0 {
		err = errors.Join(err, errors.New("hub stop: "+stderr.String()))
	}
	if err != nil {
		panic(err) // otherwise a process would outlive the tests
	}
}

func (g *gateway) expect(ts *testscript.TestScript, line *regexp.Regexp) string {
	text, err := g.stdout.ReadString('\n')
	match := line.FindStringSubmatch(text)
	if match == nil {
		_ = g.cmd.Process.Kill() // the output explains the failure better
		_ = g.cmd.Wait()
		ts.Fatalf("gateway start printed %q (%v), want %v; stderr:\n%s", text, err, line, g.stderr.String())
	}
	return match[1]
}

// stopGateway is the script command "stop-gateway". It stops the gateway that was started last. Other
// gateways stop at the end of the script.
func stopGateway(ts *testscript.TestScript, neg bool, _ []string) {
	all := ts.Value(fleetKey{}).(*fleet)
	last := len(all.running) - 1
	if neg || last < 0 {
		ts.Fatalf("there is no gateway to stop")
	}
	g := all.running[last]
	all.running = all.running[:last]
	g.stop(ts)
}

// stop ends the gateway like toolscript gateway stop. The gateway must print nothing more on stdout and end in
// time with exit code 0. Its log is then in gateway.log.
func (g *gateway) stop(ts *testscript.TestScript) {
	ts.Check(g.process.Stop())
	late := time.AfterFunc(pace.Limit(stopBound), func() { _ = g.cmd.Process.Kill() })
	defer late.Stop()
	rest, err := io.ReadAll(g.stdout)
	ts.Check(err)
	err = g.cmd.Wait()
	ts.Logf("[gateway stderr]\n%s", g.stderr.String())
	ts.Check(os.WriteFile(ts.MkAbs("gateway.log"), []byte(g.stderr.String()), 0o600))
	if err != nil {
		ts.Fatalf("the gateway ended with %v", err)
	}
	if len(rest) > 0 {
		ts.Fatalf("the gateway printed more on stdout: %q", rest)
	}
}
