package harness_test

import (
	"context"
	"fmt"
	"log"

	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
)

// The gateway is an *actors.System with a server "workspace".
func ExampleProcess() {
	ctx := context.Background()
	gateway, err := shared()
	if err != nil {
		log.Fatal(err)
	}
	read, err := answer.Read([]byte(`{"role": "assistant", "content":
		"I add.\n<tool-calls>return await tools.workspace.add({ a: 1, b: 2 })</tool-calls>"}`), "")
	if err != nil {
		log.Fatal(err)
	}
	err = harness.Process(ctx, gateway, read, harness.Options{}, func(item harness.Item) error {
		switch i := item.(type) {
		case harness.Text:
			fmt.Print(i.Text)
		case harness.ToolCallEnd: // progress
			fmt.Println(i.Tool, i.OK)
		case harness.ScriptToolCallOutput:
			fmt.Println(string(i.Value))
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// I add.
	// workspace__add true
	// {"sum":3}
}
