// Package workflow contains tasks for a model, each with a small project and two recorded solutions: one
// answer with a script, and answers with structured calls. A Scene plays both with the real program.
package workflow

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Workflow is one task.
type Workflow struct {
	Name    string
	Task    string            // request of the user
	Project map[string]string // files before the task, by slash-separated path
	Check   string            // shell command that succeeds in the project only after the task is done
	Script  string            // text of an answer with a script
	Turns   []Turn            // answers with structured calls
}

// Turn is one answer with structured calls.
type Turn struct {
	Text  string
	Calls []Call
}

// Call is a structured call.
type Call struct {
	Tool string
	Args json.RawMessage
}

//go:embed data
var data embed.FS

// All returns the recorded workflows, sorted by name.
func All() ([]Workflow, error) {
	entries, err := data.ReadDir("data")
	if err != nil {
		return nil, err
	}
	var all []Workflow
	for _, e := range entries {
		text, err := data.ReadFile(path.Join("data", e.Name()))
		if err != nil {
			return nil, err
		}
		w, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		_, w.Name, _ = strings.Cut(strings.TrimSuffix(e.Name(), ".txtar"), "-")
		all = append(all, w)
	}
	return all, nil
}

// parse reads a txtar archive. Its comment is the task; its files are "check", "answer", "calls" and
// those of the project.
func parse(text []byte) (Workflow, error) {
	archive := txtar.Parse(text)
	w := Workflow{Task: strings.TrimSpace(string(archive.Comment)), Project: map[string]string{}}
	for _, f := range archive.Files {
		content := string(f.Data)
		name, ofProject := strings.CutPrefix(f.Name, "project/")
		switch {
		case ofProject:
			w.Project[name] = content
		case f.Name == "check":
			w.Check = strings.TrimSpace(content)
		case f.Name == "answer":
			w.Script = strings.TrimSuffix(content, "\n")
		case f.Name == "calls":
			var err error
			if w.Turns, err = parseTurns(content); err != nil {
				return w, err
			}
		default:
			return w, fmt.Errorf("there is no place for the file %s", f.Name)
		}
	}
	if w.Task == "" || len(w.Project) == 0 || w.Check == "" || w.Script == "" || len(w.Turns) == 0 {
		return w, fmt.Errorf("a part is missing")
	}
	return w, nil
}

// bodies maps tools to the argument that follows the line of a call as text.
var bodies = map[string]string{"applyPatch": "patch", "writeFile": "content"}

// parseTurns reads answers: "=== TEXT" begins an answer, "> TOOL ARGUMENTS" is a call, and the lines
// after a call are its patch or content.
func parseTurns(text string) ([]Turn, error) {
	var turns []Turn
	for _, answer := range strings.Split("\n"+text, "\n=== ")[1:] {
		said, rest, _ := strings.Cut(answer, "\n")
		turn := Turn{Text: said}
		for _, call := range strings.Split("\n"+rest, "\n> ")[1:] {
			line, body, _ := strings.Cut(call, "\n")
			tool, args, _ := strings.Cut(line, " ")
			if body = strings.TrimSuffix(body, "\n"); body != "" {
				var given map[string]any
				if err := json.Unmarshal([]byte(args), &given); err != nil {
					return nil, fmt.Errorf("%s: %w", line, err)
				}
				if bodies[tool] == "" {
					return nil, fmt.Errorf("%s has no argument for a text", tool)
				}
				given[bodies[tool]] = body + "\n"
				whole, err := json.Marshal(given)
				if err != nil {
					return nil, err
				}
				args = string(whole)
			}
			if !json.Valid([]byte(args)) {
				return nil, fmt.Errorf("%s: the arguments are not JSON", line)
			}
			turn.Calls = append(turn.Calls, Call{Tool: tool, Args: json.RawMessage(args)})
		}
		if len(turn.Calls) == 0 {
			return nil, fmt.Errorf("%q has no call", said)
		}
		turns = append(turns, turn)
	}
	return turns, nil
}
