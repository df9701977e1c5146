package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// approve adds the approvals of a file to those of the earlier files. All of them apply, so
// a file can only add restrictions. Only the user's file can set approvals.confirm, which
// decides where a person has to prove to be one.
func (l *loader) approve(d *document, file File) {
	n := d.root.child("approvals")
	if n == nil {
		return
	}
	policy, err := policyOf(n, merged(l.config.Settings.ToolPacks, d.root.child("toolPacks")))
	if err != nil {
		l.fail(d.mistake([]string{"approvals", "rules"}, n.child("rules").key, err.Error()))
		return
	}
	l.config.Settings.Approvals = append(l.config.Settings.Approvals, policy)
	l.userApproves = l.userApproves || !file.Project && !file.Named
	if file.Project || file.Named {
		if confirm := n.child("confirm"); confirm != nil {
			l.report(Mistakes{d.mistake([]string{"approvals", "confirm"}, confirm.key, "has an effect in ~/"+FileName+" alone")})
		}
		return
	}
	l.config.Settings.ConfirmAtTerminal = n.child("confirm").text() == "terminal"
	l.config.Settings.ConfirmAtClient = n.child("confirm").text() == "client"
}

// ofUser adds the approvals, pins, audit and fleet of the user's file if named files
// replace that file: another configuration must not turn them off or on. If there are
// approvals but none from the user's file, it adds the default policy as the user's: only
// the user's file can allow built-in tools without a question.
func (l *loader) ofUser(files []File) error {
	if !slices.ContainsFunc(files, func(f File) bool { return !f.Project && !f.Named }) {
		d, err := l.options.userFile("approvals")
		if err != nil {
			return err
		}
		if d != nil {
			file := File{Path: filepath.Join(l.options.home(), FileName)}
			l.approve(d, file)
			l.audit(d, file)
			l.pin(d, file)
			if err := l.joinUsersFleet(d, file); err != nil {
				return err
			}
		}
	}
	if all := &l.config.Settings.Approvals; len(*all) > 0 && !l.userApproves {
		*all = append(*all, toolscript.ApprovalPolicy{})
	}
	return nil
}

// packPrefix marks an entry of match as the name of a tool pack.
const packPrefix = "pack:"

// policyOf reads a policy, and replaces packs by their tools.
func policyOf(n *node, packs toolscript.ToolPacks) (toolscript.ApprovalPolicy, error) {
	p := toolscript.ApprovalPolicy{
		Default: toolscript.ApprovalAction(n.child("default").text()),
		Timeout: n.child("timeout").duration(),
	}
	for _, rule := range n.child("rules").list() {
		r := toolscript.ApprovalRule{Action: toolscript.ApprovalAction(rule.child("action").text())}
		for _, entry := range rule.child("match").texts() {
			pack, is := strings.CutPrefix(entry, packPrefix)
			if !is {
				r.Match = append(r.Match, entry)
				continue
			}
			tools, all, err := packs.Tools(pack)
			if err != nil {
				return p, err
			}
			r.Tools = append(r.Tools, tools...)
			if all {
				r.Match = append(r.Match, "*")
			}
		}
		p.Rules = append(p.Rules, r)
	}
	return p, nil
}
