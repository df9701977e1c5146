package gateways

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/api"
)

// plan prints what a reload would do in one of the gateways that it reaches, and a line for each gateway
// inside toolscript mcp.
func (o *reloadOptions) plan(ctx context.Context) error {
	var plans []toolscript.ReloadPlan
	g, err := o.Target.Require(ctx)
	if err == nil {
		defer g.Close()
		err = o.planOf(ctx, g.Client, &plans)
	}
	missing := errors.Is(err, app.ErrNone)
	failed := o.eachEmbedded(ctx, func(process int, g *api.Client) error {
		err := o.planOf(ctx, g, &plans)
		if err == nil {
			o.Say("toolscript mcp (process %d): %s", process, planWords(plans[len(plans)-1]))
		}
		return err
	})
	if len(plans) == 0 || err != nil && !missing {
		return errors.Join(err, failed)
	}
	if o.form.Structured() {
		err = o.form.Write(o.Stdout, plans[0])
	} else {
		err = o.printPlan(plans[0])
	}
	if err = errors.Join(err, failed); err == nil && slices.ContainsFunc(plans, func(p toolscript.ReloadPlan) bool { return p.Changes }) {
		err = &app.Error{Code: app.Changes}
	}
	return err
}

// planOf adds the plan of a gateway to plans.
func (o *reloadOptions) planOf(ctx context.Context, g *api.Client, plans *[]toolscript.ReloadPlan) error {
	env, err := configuredEnv(ctx, o.App, g)
	if err != nil {
		return err
	}
	plan, err := g.PlanReload(ctx, env)
	if err == nil {
		*plans = append(*plans, plan)
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
		o.Warn("%s", warning)
	}
	servers := terminal.Table{Header: []string{"Server", "Action", "Fields", "Not started, because"}}
	kept := 0
	for _, c := range plan.Servers {
		action := actionOf(c)
		if action == "" {
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
	return o.Print("%s", strings.Join(planLines(plan, kept), "\n"))
}

// actionOf returns what a reload does with a server; "" if the server stays as it is.
func actionOf(c toolscript.ServerChange) string {
	switch {
	case c.Retry:
		return actionWords[c.Action] + ", connect again"
	case c.Action == toolscript.ChangeKeep:
		return ""
	default:
		return actionWords[c.Action]
	}
}

// planWords describes a plan in one line.
func planWords(plan toolscript.ReloadPlan) string {
	var parts []string
	for _, c := range plan.Servers {
		if action := actionOf(c); action != "" {
			parts = append(parts, terminal.OneLine(c.Name)+": "+action)
		}
	}
	for _, s := range plan.Settings {
		parts = append(parts, s.Name+" changes")
	}
	if len(parts) == 0 {
		return "nothing would change"
	}
	return strings.Join(parts, "; ")
}

// planLines returns the lines below the table of servers.
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
