package discovery

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript/cmd/logfile"
)

// readyTime bounds the start of a gateway by a hook. The plugin allows the hook 15 s.
const readyTime = 10 * time.Second

// hubStartTime bounds the start of a hub, which waits up to 10 s for the servers of a
// killed hub to end.
const hubStartTime = 20 * time.Second

// notInherited are variables of the client that a gateway and its servers must not get: the
// client's secrets, and the gateway of an outer session.
var notInherited = []string{"TOOLSCRIPT_GATEWAY_URL=", "CLAUDE_ENV_FILE=", "CLAUDE_CODE_MESSAGING_SOCKET=", "CLAUDE_CODE_MESSAGING_TOKEN="}

// Started is the output of gateway start --json.
type Started struct {
	URL        string `json:"url"`
	GatewayURL string `json:"gatewayUrl"` // with the capability
	PID        int    `json:"pid"`
}

// Launcher starts gateways that outlive this process.
type Launcher struct {
	Logs func() (logfile.Folder, error)
	Warn func(format string, args ...any)
}

// Log creates the log of a gateway in this process.
func (l Launcher) Log() (*logfile.Writer, error) {
	folder, err := l.Logs()
	if err != nil {
		return nil, err
	}
	f, err := folder.Create()
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return logfile.NewWriter(f.Name())
}

// Launch starts a gateway with its own log. The result is empty if the gateway is not ready
// in time; commands find it later.
func (l Launcher) Launch(cmd *exec.Cmd) (started Started, err error) {
	line, err := l.launch(cmd, logfile.Folder.Create, readyTime)
	switch {
	case errors.Is(err, ErrSlow):
		return started, nil
	case err != nil:
		return started, fmt.Errorf("%w\nFor its log run: toolscript logs", err)
	}
	if err := json.Unmarshal([]byte(line), &started); err != nil {
		return started, fmt.Errorf("the gateway did not print its address: %w", err)
	}
	return started, nil
}

// LaunchHub starts a hub with its own log, and returns when gateways can find it.
func (l Launcher) LaunchHub(cmd *exec.Cmd) error {
	_, err := l.launch(cmd, logfile.Folder.CreateHub, hubStartTime)
	return err
}

// launch starts a program that outlives this process, and returns the first line of its
// output. An error other than ErrSlow is the last error in the program's log.
func (l Launcher) launch(cmd *exec.Cmd, create func(logfile.Folder) (*os.File, error), wait time.Duration) (line string, err error) {
	log := l.openLog(cmd, create)
	line, err = Launch(cmd, wait)
	if err != nil && !errors.Is(err, ErrSlow) {
		err = errors.New(reason(log, err))
	}
	if log != "" {
		err = errors.Join(err, cmd.Stderr.(*os.File).Close()) //nolint:forcetypeassert // openLog has set it
	}
	return line, err
}

// LaunchEnv returns the environment of a gateway for a session. own is the environment of the
// process that starts it.
func LaunchEnv(own []string, session string) []string {
	var env []string
	for _, entry := range own {
		if !slices.ContainsFunc(notInherited, func(prefix string) bool { return strings.HasPrefix(entry, prefix) }) {
			env = append(env, entry)
		}
	}
	return append(env, "CLAUDE_CODE_SESSION_ID="+session)
}

// openLog directs the program's log to a new file and returns its path. Without a usable
// data folder there is no log, and the path is "".
func (l Launcher) openLog(cmd *exec.Cmd, create func(logfile.Folder) (*os.File, error)) string {
	var f *os.File
	folder, err := l.Logs()
	if err == nil {
		f, err = create(folder)
	}
	if err != nil {
		l.Warn("the log is not stored: %v", err)
		return ""
	}
	cmd.Stderr = f
	cmd.Args = append(cmd.Args, "--log-file", f.Name())
	return f.Name()
}

// reason returns the last error in a log, or the text of ended if the log has none.
func reason(log string, ended error) string {
	f, err := os.Open(log) //nolint:gosec // the log that this process has created
	if err != nil {
		return ended.Error()
	}
	defer func() { _ = f.Close() }() // it was only read
	last := ended.Error()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "toolscript: "); ok {
			last = text
		}
	}
	return last
}

// ErrSlow is the error of Launch if the program has not written a line in time. The program
// still runs.
var ErrSlow = errors.New("the program has not started in time")

// Launch starts a program that outlives this process: it has its own session, and does not
// share standard output and standard error with this process. Launch returns the first line
// of the program's standard output. Any error other than ErrSlow means that the program has
// ended.
func Launch(cmd *exec.Cmd, wait time.Duration) (line string, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Close() }() // it was only read
	cmd.Stdout, cmd.SysProcAttr = w, detached
	err = cmd.Start()
	if closeErr := w.Close(); err == nil && closeErr != nil {
		return "", closeErr
	}
	if err != nil {
		return "", err
	}
	var first string
	read := make(chan error, 1)
	go func() { // a pipe of Windows has no deadline
		var err error
		first, err = bufio.NewReader(r).ReadString('\n')
		read <- err
	}()
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case <-late.C:
		return "", ErrSlow
	case err := <-read:
		if err != nil {
			return "", fmt.Errorf("%s ended: %w", cmd.Args[0], cmd.Wait())
		}
	}
	return strings.TrimSuffix(first, "\n"), cmd.Process.Release()
}
