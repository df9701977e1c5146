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
	log := s.openLog(cmd)
	line, err := hook.Launch(cmd, startTime)
	if log != "" {
		err = errors.Join(err, cmd.Stderr.(*os.File).Close()) //nolint:forcetypeassert // openLog has set it
	}
	text = s.remarks(loaded)
	if errors.Is(err, hook.ErrSlow) {
		return "", text, nil // commands find it by the session when it is ready
	}
	if err != nil {
		return "", "", fmt.Errorf("the gateway has not started: %s\nFor its log run: toolscript logs", reason(log, err))
	}
	var started struct {
		GatewayURL string `json:"gatewayUrl"`
	}
	if err := json.Unmarshal([]byte(line), &started); err != nil {
		return "", "", fmt.Errorf("the gateway did not print its address: %w", err)
	}
	return started.GatewayURL, text, nil
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
	for _, entry := range s.Env {
		if !hasPrefixOf(entry, notInherited) {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, "CLAUDE_CODE_SESSION_ID="+s.id)
	return cmd, nil
}

func hasPrefixOf(text string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// openLog directs the gateway's log to a file and returns its path. Without a usable data
// folder there is no log.
func (s *session) openLog(cmd *exec.Cmd) string {
	folder, err := s.logs()
	if err != nil {
		s.warn("the log of the gateway is not stored: %v", err)
		return ""
	}
	f, err := folder.Create()
	if err != nil {
		s.warn("the log of the gateway is not stored: %v", err)
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
			config.FileName, visible(strings.Join(loaded.Untrusted, ", "))))
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
