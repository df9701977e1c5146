package confirm

import (
	"path/filepath"
	"slices"
	"strings"
)

// variables are environment variables that agents set for their commands. The list omits
// variables that editors also set for the terminals of their users.
var variables = []string{
	"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PID",
	"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID",
	"GEMINI_CLI", "QWEN_CODE", "CURSOR_AGENT", "OPENCODE", "GOOSE_TERMINAL", "CLINE_ACTIVE",
	"AUGMENT_AGENT", "COPILOT_CLI", "AMP_THREAD_ID", "AI_AGENT", "AGENT",
}

// programs are the names of agents that run commands.
var programs = []string{
	"claude", "codex", "gemini", "qwen", "cursor-agent", "opencode", "goose", "aider", "amp", "copilot", "crush", "droid", "auggie", "cline",
}

// packages are path parts of agents that run in an interpreter.
var packages = []string{
	"@anthropic-ai/claude-code", "@openai/codex", "@google/gemini-cli", "@qwen-code/qwen-code", "@github/copilot", "@sourcegraph/amp", "opencode-ai",
}

// maxDepth bounds the search, which also ends it if reused process ids form a circle.
const maxDepth = 64

// process is the information that the system has about one process. Unknown parts are empty.
type process struct {
	parent int
	name   string   // name of its program
	args   []string // the first is the program
	env    []string // in the form of os.Environ
}

// AgentVariable returns the name of an agent's variable in an environment, or "" if there is
// none.
func AgentVariable(env []string) string {
	for _, entry := range env {
		if name, value, _ := strings.Cut(entry, "="); value != "" && slices.Contains(variables, name) {
			return name
		}
	}
	return ""
}

// AgentAbove returns the name of the nearest agent among a process and its ancestors: its
// variable or its program. It returns "" if there is no agent.
func AgentAbove(pid int) string { return nearest(pid, process.agent) }

// nearest returns the first non-empty name of a process or its ancestors, or "".
func nearest(pid int, name func(process) string) string {
	for depth := 0; pid > 1 && depth < maxDepth; depth++ {
		p, ok := look(pid)
		if !ok {
			return ""
		}
		if found := name(p); found != "" {
			return found
		}
		pid = p.parent
	}
	return ""
}

// ProgramAbove returns the name of the program or package of the nearest agent among a process
// and its ancestors. It ignores variables, and returns "" if there is no agent.
func ProgramAbove(pid int) string { return nearest(pid, process.program) }

func (p process) agent() string {
	if name := AgentVariable(p.env); name != "" {
		return name
	}
	return p.program()
}

func (p process) program() string {
	if slices.Contains(programs, p.name) {
		return p.name
	}
	for i, arg := range p.args {
		if i > 2 { // the interpreter, one option, and the program
			break
		}
		base := filepath.Base(arg)
		if name := strings.TrimSuffix(base, filepath.Ext(base)); slices.Contains(programs, name) && (i == 0 || strings.ContainsRune(arg, filepath.Separator)) {
			return name
		}
		for _, part := range packages {
			if strings.Contains(filepath.ToSlash(arg), "/"+part+"/") {
				return part
			}
		}
	}
	return ""
}
