package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/exit"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// plan prints what a reload would do.
func (o *reloadOptions) plan(ctx context.Context) error {
	g, err := o.target.Require(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	env, err := o.configuredEnv(ctx, g.Client)
	if err != nil {
		return err
	}
	plan, err := g.PlanReload(ctx, env)
	if err != nil {
		return err
	}
	if o.form.Structured() {
		err = o.form.Write(o.Stdout, plan)
	} else {
		err = o.printPlan(plan)
	}
	if err == nil && plan.Changes {
		err = &exit.Error{Code: exit.Changes}
	}
	return err
}

// actionWords are the actions as the command prints them.
var actionWords = map[toolscript.ChangeAction]string{
	toolscript.ChangeAdd: "add", toolscript.ChangeRemove: "remove", toolscript.ChangeRestart: "restart", toolscript.ChangeStop: "stop",
	toolscript.ChangeAdjust: "change in place", toolscript.ChangeKeep: "keep",
}

func (o *reloadOptions) printPlan(plan toolscript.ReloadPlan) error {
	for _, warning := range plan.Warnings {
		o.warn("%s", warning)
	}
	servers := terminal.Table{Header: []string{"Server", "Action", "Fields", "Not started, because"}}
	kept := 0
	for _, c := range plan.Servers {
		action := actionWords[c.Action]
		if c.Retry {
			action += ", connect again"
		} else if c.Action == toolscript.ChangeKeep {
			kept++
			continue
		}
		servers.Add(c.Name, action, strings.Join(c.Fields, ", "), terminal.OneLine(c.Reason))
	}
	if kept < len(plan.Servers) {
		if err := servers.Write(o.Stdout, terminal.Columns(o.Stdout), nil); err != nil {
			return err
		}
	}
	return o.print("%s", strings.Join(planLines(plan, kept), "\n"))
}

// planLines are the lines below the table of servers.
func planLines(plan toolscript.ReloadPlan, kept int) []string {
	lines := []string{fmt.Sprintf("Servers that stay as they are: %d", kept)}
	var live, later []string
	for _, s := range plan.Settings {
		if s.Restart {
			later = append(later, s.Name)
		} else {
			live = append(live, s.Name)
		}
	}
	if len(live) > 0 {
		lines = append(lines, "Settings that change: "+strings.Join(live, ", "))
	}
	if len(later) > 0 {
		lines = append(lines, "Settings that change only with toolscript gateway restart: "+strings.Join(later, ", "))
	}
	if len(plan.NotTrusted) > 0 {
		lines = append(lines, "Not trusted; to start them, run toolscript trust first: "+terminal.OneLine(strings.Join(plan.NotTrusted, ", ")))
	}
	for _, f := range plan.Files {
		state := "read"
		switch {
		case !f.Found:
			state = "does not exist"
		case !f.Trusted:
			state = "read, and not trusted in part or whole"
		}
		lines = append(lines, fmt.Sprintf("File: %s (%s)", terminal.OneLine(f.Path), state))
	}
	switch {
	case !plan.Changes && kept < len(plan.Servers):
		return append(lines, "The configuration is the same; a reload would only connect servers again")
	case !plan.Changes:
		return append(lines, "Nothing would change")
	case len(live) == 0 && kept == len(plan.Servers):
		return append(lines, "A reload would change nothing")
	default:
		return append(lines, "Nothing has changed; to apply this, run: toolscript gateway reload")
	}
}
