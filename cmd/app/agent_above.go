package app

import (
	"cmp"

	"github.com/toolscript/toolscript/cmd/confirm"
)

// Agent returns the name of the agent that has started this process; "" if there is none.
func (a *App) Agent() string {
	return cmp.Or(confirm.AgentVariable(a.Env), confirm.AgentAbove(a.Parent))
}
