//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/transport/api"
)

const (
	answerRounds = 100
	answerWarmup = 10
)

// answerScript is a script of a model's answer with one call. The number in it makes the text unique.
const answerScript = `interface Line { at: number; text: string }
const wanted%[1]d = /error|warning/i;
const file = await tools.readFile({ filePath: "log.txt" });
const found: Line[] = [];
for (const [at, text] of String(file.content).split("\n").entries()) {
  if (wanted%[1]d.test(text)) found.push({ at: at + 1, text });
}
const count = found.length;
console.log("found " + count);
return { round: %[1]d, count, first: found[0] ?? null };`

// answers measures POST /harness for an answer with one script that calls a built-in tool once, from
// the request to the last item, minus the time of the tool: with a script that the gateway has never
// seen, and with the same answer again.
func (b *bench) answers(ctx context.Context) error {
	root := filepath.Join(b.Home, "answers")
	if err := os.MkdirAll(root, 0o750); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "log.txt"), []byte("begin\nan error\nend\n"), 0o600); err != nil {
		return err
	}
	config, err := b.Config("answers.json", fmt.Sprintf(`{"mcpServers":{"workspace":{"type":"builtin","root":%q,"tools":"file-ops"}}}`, root))
	if err != nil {
		return err
	}
	g, err := b.gateway(ctx, config)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	client := api.NewClient(g.URL)
	var first, cached, tool []float64
	for i := range answerRounds + answerWarmup {
		code := fmt.Sprintf(answerScript, i)
		for _, again := range []bool{false, true} {
			beyond, inTool, err := answered(ctx, client, code, again)
			if err != nil {
				return err
			}
			if i < answerWarmup {
				continue
			}
			if tool = append(tool, inTool); again {
				cached = append(cached, beyond)
			} else {
				first = append(first, beyond)
			}
		}
	}
	show("script of an answer, one call, beyond the tool: a new text", "ms", first, "≤ 15")
	show("  the same text again", "ms", cached, "≤ 2")
	show("  for scale: the call of the tool", "ms", tool, "")
	return nil
}

// answered sends an answer with a script. It returns the time of the request minus that of the call,
// and the time of the call, in ms. known says whether the script must already be in the cache; it is
// an error if that is not the case.
func answered(ctx context.Context, client *api.Client, code string, known bool) (beyond, tool float64, err error) {
	items, err := json.Marshal([]map[string]string{{"role": "assistant", "content": "<tool-calls>\n" + code + "\n</tool-calls>"}})
	if err != nil {
		return 0, 0, err
	}
	var out harness.ScriptToolCallOutput
	begin := time.Now()
	err = client.Harness(ctx, toolscript.HarnessRequest{Items: items, API: "chat"}, func(item json.RawMessage) error {
		var one harness.ScriptToolCallOutput
		if err := json.Unmarshal(item, &one); err == nil && one.Type == "ScriptToolCallOutput" {
			out = one
		}
		return nil
	})
	took := milliseconds(time.Since(begin))
	switch {
	case err != nil:
		return 0, 0, err
	case !out.OK || len(out.ToolCalls) != 1 || out.Metrics == nil:
		return 0, 0, fmt.Errorf("the script failed: %+v", out)
	case out.Metrics.CacheHit != known:
		return 0, 0, fmt.Errorf("the script was in the cache: %v, want %v", out.Metrics.CacheHit, known)
	}
	return took - out.ToolCalls[0].Ms, out.ToolCalls[0].Ms, nil
}
