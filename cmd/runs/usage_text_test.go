package runs

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/texts"
)

func usageReport() *UsageReport {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.Local)
	return &UsageReport{
		Since: at, Until: at.AddDate(0, 0, 7), Sessions: 2, Runs: 1, Other: 70, Estimated: 1,
		Servers: []ServerUsage{
			{Server: "github", Configured: true, Tools: 26, Definitions: Definitions{Plain: 4210}, Traffic: Traffic{Calls: 12, Arguments: 1034, Results: 88120, Reached: 2310}},
			{Server: "files\x1b[2J\n", Configured: true, Tools: 1, Definitions: Definitions{Plain: 27}},
		},
		Tools: []ToolUsage{
			{Server: "github", Tool: "github__list\x1b]0;x\x07\u202e", Offered: true, Traffic: Traffic{Calls: 12}},
			{Server: "github", Tool: "github__" + strings.Repeat("long_", 30), Offered: true},
		},
		Work: &WorkUsage{
			Plain: UsageCost{Definitions: 8474, Written: 1034, Read: 88120, Total: 97628}, Toolscript: UsageCost{Written: 640, Read: 2380, Total: 3020},
			Saved: 94608, CutResults: 1, Assumed: 1,
		},
		Exclude: []UsageAdvice{
			{Server: "files\x1b[2J\n", Tokens: 27, Since: at.AddDate(0, -1, 0), Do: "toolscript disable 'files\x1b[2J\n'"},
			{Server: "github", Tools: []string{"a\x1b[0m"}, Tokens: 900, Since: at, Young: true},
		},
	}
}

// TestUsageText: at 80 columns, no line of several words is wider, and the text contains nothing that
// a terminal interprets.
func TestUsageText(t *testing.T) {
	for _, byTool := range []bool{false, true} {
		text := (&usageText{UsageReport: usageReport(), byTool: byTool, width: 80}).text()
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if line != terminal.Visible(line) {
				t.Errorf("a terminal interprets %q", line)
			}
			if n := terminal.Width(line); n > 80 && !strings.Contains(line, "toolscript disable") && len(strings.Fields(line)) > 1 {
				t.Errorf("%d columns: %q", n, line)
			}
		}
		for _, want := range []string{"Since 2026-11-01 12:00: 2 sessions, 1 run.", "88 120", "(no server)", "toolscript saved about 94 608 tokens, 97 %.", "25 000 tokens", "1 text ", "too short to judge"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in:\n%s", want, text)
			}
		}
	}
}

// TestUsageTextForPrograms: tabs separate the cells, and numbers consist of digits only.
func TestUsageTextForPrograms(t *testing.T) {
	text := (&usageText{UsageReport: usageReport()}).text()
	for _, want := range []string{"\ngithub\t26\t4210\t12\t1034\t88120\t2310\n", "\nall\t27\t4237\t12\t1034\t88120\t2380\n", "\nas plain tool calls\t8474\t1034\t88120\t97628\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
}

func TestUsageTextOfALoss(t *testing.T) {
	r := usageReport()
	for saved, want := range map[int]string{-300: "toolscript cost about 300 tokens more, 30 %.", 0: "Both cost the same.", -30_000: "toolscript cost about 30 000 tokens more."} {
		r.Work.Saved, r.Work.Plain.Total = saved, 1000
		if text := (&usageText{UsageReport: r, width: 80}).text(); !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
}

func TestUsageTextWithoutUse(t *testing.T) {
	text := (&usageText{UsageReport: &UsageReport{}, width: 80}).text()
	if !strings.Contains(text, "nothing to count yet") || strings.Contains(text, "how many tokens") || strings.Contains(text, "same calls") {
		t.Errorf("text:\n%s", text)
	}
}

func TestSkillTokens(t *testing.T) {
	skill, err := os.ReadFile("../../plugins/toolscript/skills/toolscript/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := texts.Tokens(skill); n < skillTokens*9/10 || n > skillTokens*11/10 {
		t.Errorf("the skill has about %d tokens; count them, and write the number to skillTokens and to docs/operating.md", n)
	}
}
