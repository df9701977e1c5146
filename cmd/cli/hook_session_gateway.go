package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/hook"
	"github.com/toolscript/toolscript/cmd/logfile"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// startTime bounds the start of a gateway by a hook, which the plugin allows 15 s.
const startTime = 10 * time.Second

// notInherited are variables of the client that are not for a gateway and its servers:
// its secrets, and the gateway of an outer session.
var notInherited = []string{"TOOLSCRIPT_GATEWAY_URL=", "CLAUDE_ENV_FILE=", "CLAUDE_CODE_MESSAGING_SOCKET=", "CLAUDE_CODE_MESSAGING_TOKEN="}

// start starts a gateway that outlives the hook. url is "" if it is not ready yet. text
// is for the person.
func (s *session) start(ctx context.Context) (url, text string, err error) {
	loaded, err := s.host.Load(false)
	if err != nil {
		return "", "", err
	}
	cmd, err := s.gatewayCommand(ctx)
	if err != nil {
		return "", "", err
	}
	started, err := s.launch(cmd)
	if err != nil {
		return "", "", fmt.Errorf("the gateway has not started: %w", err)
	}
	return started.GatewayURL, s.remarks(loaded), nil
}

// startedGateway is the answer of gateway start --json.
type startedGateway struct {
	URL        string `json:"url"`
	GatewayURL string `json:"gatewayUrl"` // with the capability
	PID        int    `json:"pid"`
}

// launch starts a gateway that outlives this process, with a log of its own. The result
// is empty if the gateway is not ready in time; commands find it when it is.
func (a *app) launch(cmd *exec.Cmd) (started startedGateway, err error) {
	log := a.gatewayLog(cmd)
	line, err := hook.Launch(cmd, startTime)
	if log != "" {
		err = errors.Join(err, cmd.Stderr.(*os.File).Close()) //nolint:forcetypeassert // gatewayLog has set it
	}
	switch {
	case errors.Is(err, hook.ErrSlow):
		return started, nil
	case err != nil:
		return started, fmt.Errorf("%s\nFor its log run: toolscript logs", reason(log, err))
	}
	if err := json.Unmarshal([]byte(line), &started); err != nil {
		return started, fmt.Errorf("the gateway did not print its address: %w", err)
	}
	return started, nil
}

// gatewayCommand is the gateway of this session and client.
func (s *session) gatewayCommand(ctx context.Context) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, "gateway", "start", "--port", "0", "--json", "--force", //nolint:gosec // this program
		"--client", s.client.String())
	cmd.Dir = s.Dir
	cmd.Env = s.gatewayEnv(s.id)
	return cmd, nil
}

// gatewayEnv is the environment of a gateway of a session.
func (a *app) gatewayEnv(session string) []string {
	var env []string
	for _, entry := range a.Env {
		if !hasPrefixOf(entry, notInherited) {
			env = append(env, entry)
		}
	}
	return append(env, "CLAUDE_CODE_SESSION_ID="+session)
}

func hasPrefixOf(text string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// gatewayLog directs the gateway's log to a file and returns its path. Without a usable data
// folder there is no log.
func (a *app) gatewayLog(cmd *exec.Cmd) string {
	folder, err := a.logs()
	if err != nil {
		a.warn("the log of the gateway is not stored: %v", err)
		return ""
	}
	f, err := folder.Create()
	if err != nil {
		a.warn("the log of the gateway is not stored: %v", err)
		return ""
	}
	cmd.Stderr = f
	cmd.Args = append(cmd.Args, "--log-file", f.Name())
	return f.Name()
}

// remarks are what the person should know of a gateway that starts.
func (s *session) remarks(loaded *config.Config) string {
	var remarks []string
	if len(loaded.Untrusted) > 0 {
		remarks = append(remarks, fmt.Sprintf("this project's servers are not started, because you have not trusted its %s: %s; to look at them and start them run: toolscript trust",
			config.FileName, terminal.Visible(strings.Join(loaded.Untrusted, ", "))))
	}
	if differs := hook.Mismatch(s.getenv("CLAUDE_PLUGIN_ROOT"), toolscript.Version); differs != "" {
		remarks = append(remarks, differs)
	}
	return strings.Join(remarks, "\n")
}

// reason is the last error in a log, which says more than that the process has ended.
func reason(log string, ended error) string {
	f, err := os.Open(log) //nolint:gosec // the log that this process has created
	if err != nil {
		return ended.Error()
	}
	defer func() { _ = f.Close() }() // only read
	last := ended.Error()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "toolscript: "); ok {
			last = text
		}
	}
	return last
}

// logs is the folder of the logs of gateways that hooks have started.
func (a *app) logs() (logfile.Folder, error) {
	data, err := config.DataDir(a.host.Config)
	return logfile.Folder(data + string(os.PathSeparator) + "logs"), err
}
