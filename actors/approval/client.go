package approval

import "github.com/toolscript/toolscript"

// atClient reports whether a person can approve a call at an MCP client without a code. For that, the user's
// configuration file must allow it, and the run must belong to a client that asks a person.
func (a *Approvals) atClient(of toolscript.Approval) bool {
	return of.Asks && !of.Pin && a.options.Client != nil && a.options.Client()
}

// trusts reports whether an answer needs no code. An approval for ever needs a code, and a
// code that was given is always compared.
func (a *Approvals) trusts(r *request, answer toolscript.ApprovalAnswer) bool {
	return answer.Client && answer.Code == "" && answer.Scope != toolscript.ScopeAlways && a.atClient(r.Approval)
}
