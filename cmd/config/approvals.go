package config

import (
	"path/filepath"
	"slices"

	"github.com/toolscript/toolscript"
)

// approve adds the approvals of a file to those of the earlier files. All count, so that
// a file can only add restrictions. approvals.confirm counts in the user's file alone:
// it decides where a person proves to be one.
func (l *loader) approve(d *document, file File) {
	n := d.root.child("approvals")
	if n == nil {
		return
	}
	l.config.Settings.Approvals = append(l.config.Settings.Approvals, policyOf(n))
	l.userApproves = l.userApproves || !file.Project && !file.Named
	if confirm := n.child("confirm"); confirm != nil && (file.Project || file.Named) {
		l.report(Mistakes{d.mistake([]string{"approvals", "confirm"}, confirm.key, "has an effect in ~/"+FileName+" alone")})
		return
	}
	l.config.Settings.ConfirmAtTerminal = n.child("confirm").text() == "terminal"
}

// ofUser adds the approvals, the pins and the audit of the user's file if the named files
// have replaced it: another configuration must not switch them off, or on again. If the
// user's file has no approvals, it adds the policy of that: only the user's file can allow
// built-in tools without a question.
func (l *loader) ofUser(files []File) error {
	if !slices.ContainsFunc(files, func(f File) bool { return !f.Project && !f.Named }) {
		d, err := l.options.userFile()
		if err != nil {
			return err
		}
		if d != nil {
			file := File{Path: filepath.Join(l.options.home(), FileName)}
			l.approve(d, file)
			l.audit(d, file)
			l.pin(d, file)
		}
	}
	if all := &l.config.Settings.Approvals; len(*all) > 0 && !l.userApproves {
		*all = append(*all, toolscript.ApprovalPolicy{})
	}
	return nil
}

func policyOf(n *node) toolscript.ApprovalPolicy {
	p := toolscript.ApprovalPolicy{
		Default: toolscript.ApprovalAction(n.child("default").text()),
		Timeout: n.child("timeout").duration(),
	}
	for _, rule := range n.child("rules").list() {
		p.Rules = append(p.Rules, toolscript.ApprovalRule{
			Match: rule.child("match").texts(), Action: toolscript.ApprovalAction(rule.child("action").text()),
		})
	}
	return p
}
