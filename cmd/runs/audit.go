package runs

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// NewAudit returns the command audit.
func NewAudit(a *app.App) *cobra.Command {
	var out terminal.Form
	verify := &cobra.Command{
		Use:   "verify",
		Short: "Check that no line of the audit was changed or removed",
		Long: `Check that no line of the audit was changed or removed.

Each line has the hash of the line before it, and head.json has the hash of the last
line. The exit code is 1 if the chain is broken; the message names the file and the
line. A line that a killed gateway did not complete is counted and is no fault.`,
		Args: app.Takes(),
		RunE: func(*cobra.Command, []string) error { return verifyAudit(a, out) },
	}
	terminal.AddForm(verify.Flags(), &out, "print the result as JSON")
	return app.Group("audit", "Examine the record of runs and calls", verify)
}

// AuditReport is the output of audit verify with --json.
type AuditReport struct {
	OK  bool   `json:"ok"`
	Dir string `json:"dir"`
	audit.ChainReport
}

func verifyAudit(a *app.App, out terminal.Form) error {
	dir, err := a.Host.AuditFolder()
	if err != nil {
		return err
	}
	report, err := audit.Verify(dir)
	if err != nil {
		return err
	}
	if out.Structured() {
		if err := out.Write(a.Stdout, AuditReport{report.Fault == nil, dir, report}); err != nil || report.Fault == nil {
			return err
		}
		return &app.Error{Code: app.Failure}
	}
	if report.Fault != nil {
		return fmt.Errorf("the audit is broken: %w", report.Fault)
	}
	if report.Files == 0 {
		return a.Print("%s has no audit yet", dir)
	}
	if err := a.Print("the audit is complete: lines %d, files %d, from %s to %s", report.Lines, report.Files,
		terminal.LocalTime(*report.From), terminal.LocalTime(*report.To)); err != nil {
		return err
	}
	if report.Pruned > 0 {
		if err := a.Print("%d older files were deleted because of their age or size", report.Pruned); err != nil {
			return err
		}
	}
	if report.Torn > 0 {
		return a.Print("%d lines were not completed when a gateway was killed", report.Torn)
	}
	return nil
}
