package sandbox_test

import (
	"testing"

	"github.com/toolscript/toolscript"
)

// TestStdinThatBreaks: on both engines, a failure while reading the input is an error, not the end of
// the input.
func TestStdinThatBreaks(t *testing.T) {
	g := newGateway(t)
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			request := toolscript.ExecRequest{
				Code: `import { stdin } from "toolscript";
const seen: string[] = [];
try { for await (const line of stdin.lines()) seen.push(line) } catch (e) { seen.push(e.message) }
return [...seen, await stdin.text().catch((e) => e.message)]`,
				Stdin: true,
				Rules: toolscript.Rules{Engine: engine, Check: toolscript.CheckOff},
			}
			end, err := g.runWithEvents(t, request, func(id string, e toolscript.Event) error {
				if e.Type != toolscript.EventStdin {
					return nil
				}
				go func() {
					for _, piece := range []toolscript.StdinPiece{{Data: []byte("one\n")}, {Error: "the disk is gone"}} {
						_ = g.GiveStdin(t.Context(), id, piece) // the outcome shows in what the script reads
					}
				}()
				return nil
			})
			const broken = `"standard input cannot be read: the disk is gone"`
			if want := `["one",` + broken + `,` + broken + `]`; err != nil || string(end.Value) != want {
				t.Errorf("end = %s, %+v, %v; want %s", end.Value, end.Error, err, want)
			}
		})
	}
}
