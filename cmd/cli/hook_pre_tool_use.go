package cli

import (
	"context"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/hook"
	"github.com/toolscript/toolscript/cmd/hook/permission"
)

// preToolUse allows a safe command of the agent. Of every other command it says nothing,
// and the client asks the user as always.
func (a *app) preToolUse(_ context.Context, e hook.Event) error {
	command, ok := e.Plain()
	if !ok {
		return nil
	}
	call := &agentCall{project: a.projectFolder(e), dir: a.absolute(e.Cwd), planning: e.PermissionMode == "plan"}
	if !permission.Allowed(command, call.allowed) {
		return nil
	}
	allow, err := config.AutoAllow(a.host.Config)
	if err != nil || !allow {
		return nil //nolint:nilerr // session-start has shown what is wrong with the file; it may switch this off
	}
	return hook.Allow(a.Stdout, "toolscript: searches, reads types, or runs a script in the sandbox")
}
