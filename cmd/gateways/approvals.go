package gateways

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/confirm"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// approvals returns how the gateway shows requests for approval: at the terminal of exec, on the desktop, and
// at its own terminal, unless an agent has started the gateway.
func (o *StartOptions) approvals() actors.Approvals {
	agent := o.Agent() != ""
	desktop := confirm.Desktop(confirm.Bus(o.LookupEnv, agent))
	notify := confirm.Notify(confirm.Bus(o.LookupEnv, agent))
	own := confirm.Show(func(toolscript.Approval, string) {})
	if !agent && terminal.Is(o.Stderr) {
		own = confirm.Terminal(o.Stderr)
	}
	return actors.Approvals{Notice: notify, Show: func(a toolscript.Approval, code string) {
		if client, err := confirm.AtTerminal(a.Terminal); a.Terminal != 0 && err == nil {
			client(a, code)
		}
		own(a, code)
		desktop(a, code)
	}}
}
