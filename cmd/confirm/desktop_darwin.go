package confirm

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// Bus returns "": this system has no session bus.
func Bus(func(string) (string, bool), bool) string { return "" }

// Desktop shows requests as notifications. The code goes through the standard input of
// osascript, because every process of the user can read arguments.
func Desktop(string) Show {
	return func(a toolscript.Approval, code string) {
		notification(shortArgs(a), "toolscript: "+terminal.ApprovalTitle(a), "Code: "+code+"  "+command(a))
	}
}

// Notify shows lines about approvals as notifications.
func Notify(string) func(text string) {
	return func(text string) { notification(text, "toolscript", "") }
}

func notification(text, title, subtitle string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "/usr/bin/osascript", "-")
	c.Stdin = strings.NewReader(fmt.Sprintf("display notification %s with title %s subtitle %s", quote(text), quote(title), quote(subtitle)))
	_ = c.Run() // a request that is not seen is not answered
}

func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
