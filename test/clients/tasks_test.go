//go:build proof && linux

package clients

import (
	"fmt"
	"strings"

	"github.com/toolscript/toolscript/test/clients/model"
)

// A task is a request of a user: calls that the model makes one after another, and texts that their
// results must contain.
type task struct {
	name  string
	calls []model.Call
	tells [][]string // for each call, texts that its result contains
	image bool       // whether the last result has an image
}

// images says what a client does with the images in results of tools.
type images string

const (
	shown   images = ""         // the model sees them
	written images = "text"     // the model gets their bytes as base64
	dropped images = "no image" // the model gets only the text of the result
)

var tasks = []task{
	{
		name:  "search",
		calls: []model.Call{call("search_tools", "query", "add two numbers")},
		tells: [][]string{{`"everything.getSum"`, "confidence"}},
	},
	{
		name:  "types",
		calls: []model.Call{call("describe_tools", "names", []string{"everything.getSum"})},
		tells: [][]string{{"getSum", "a: number", "b: number"}},
	},
	{
		name: "script",
		calls: []model.Call{run(`const sum = await tools.everything.getSum({ a: 2, b: 40 });
console.log("one line");
return { sum, letters: "äöü €" };`)},
		tells: [][]string{{`"ok":true`, "The sum of 2 and 40 is 42.", "one line", "äöü €"}},
	},
	{
		name: "mistake",
		calls: []model.Call{
			run("const a = 2;\nreturn await tools.everything.getSumm({ a, b: 41 });"),
			run("const a = 2;\nreturn await tools.everything.getSum({ a, b: 41 });"),
		},
		tells: [][]string{{`"ok":false`, "script.ts:2:", "getSum"}, {`"ok":true`, "The sum of 2 and 41 is 43."}},
	},
	{
		name:  "image",
		calls: []model.Call{run("return await tools.everything.getTinyImage({});")},
		tells: [][]string{{`"ok":true`, "image/png"}},
		image: true,
	},
}

func call(tool, argument string, value any) model.Call {
	return model.Call{Tool: tool, Args: map[string]any{argument: value}}
}

func run(code string) model.Call { return call("run_script", "code", code) }

// scripted returns the calls of each task by its name.
func scripted() map[string][]model.Call {
	all := map[string][]model.Call{}
	for _, t := range tasks {
		all[t.name] = t.calls
	}
	return all
}

// fault returns what is wrong in what the model received, or "".
func (t task) fault(c model.Conversation, does images) string {
	switch {
	case c.Missing != "":
		return "the client does not offer the tool " + c.Missing
	case !c.Final:
		return fmt.Sprintf("the conversation has ended after %d turns, without a last answer", c.Turns)
	case len(c.Results) != len(t.calls):
		return fmt.Sprintf("the model got %d results of %d calls", len(c.Results), len(t.calls))
	}
	for i, texts := range t.tells {
		got := c.Results[i].Text
		for _, text := range texts {
			if !strings.Contains(plain.Replace(got), text) {
				return fmt.Sprintf("the result of call %d has no %q:\n%.2000s", i+1, text, got)
			}
		}
	}
	if t.image {
		last := c.Results[len(c.Results)-1]
		got := dropped
		switch {
		case last.Images > 0:
			got = shown
		case strings.Contains(last.Text, bytesOfImage):
			got = written
		}
		if got != does {
			return fmt.Sprintf("the client passes images as %q, want %q; the result is\n%.2000s", got, does, last.Text)
		}
	}
	if want := len(t.calls) + 1; c.Turns > want { // a client without a model has no turns
		return fmt.Sprintf("%d turns, want %d: one for each call and the last", c.Turns, want)
	}
	return ""
}

// plain removes JSON escapes of quotation marks, and blanks between JSON values.
var plain = strings.NewReplacer(`\"`, `"`, `": `, `":`)

// bytesOfImage is the beginning of a PNG file in base64.
const bytesOfImage = "iVBORw0KGgo"
