package approval

import "github.com/toolscript/toolscript"

// atClient reports whether a person can approve the call of a run at an MCP client,
// without a code: the user's file says so, and the client puts questions to a person.
func (a *Approvals) atClient(of toolscript.Approval) bool {
	return of.Asks && !of.Pin && a.options.Client != nil && a.options.Client()
}

// trusts reports whether an answer needs no code. An approval for ever needs one, and a
// code that was given is compared.
func (a *Approvals) trusts(r *request, answer toolscript.ApprovalAnswer) bool {
	return answer.Client && answer.Code == "" && answer.Scope != toolscript.ScopeAlways && a.atClient(r.Approval)
}
