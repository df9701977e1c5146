package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
)

// A program that calls harness.Start begins its main with harness.Helper.
func ExampleRegistry() {
	ctx := context.Background()
	var registry harness.Registry
	err := registry.Register(harness.Tool{
		Name:             "pay",
		Description:      "Pay an amount in euros.",
		Input:            json.RawMessage(`{"type": "object", "required": ["to", "amount"], "properties": {"to": {"type": "string"}, "amount": {"type": "number"}}}`),
		Output:           json.RawMessage(`{"type": "object", "required": ["receipt"], "properties": {"receipt": {"type": "string"}}}`),
		RequiresApproval: true,
		Run: harness.Func(func(_ context.Context, p struct {
			To     string  `json:"to"`
			Amount float64 `json:"amount"`
		},
		) (map[string]string, error) {
			return map[string]string{"receipt": fmt.Sprintf("%.2f to %s", p.Amount, p.To)}, nil
		}),
	})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	gateway, err := harness.Start(harness.Config{Registry: &registry, Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = gateway.Close(ctx) }()

	read, err := answer.Read([]byte(`{"role": "assistant", "content":
		"<tool-calls>const { receipt } = await tools.app.pay({ to: 'Ada', amount: 12 }); return receipt;</tool-calls>"}`), "")
	if err != nil {
		log.Fatal(err)
	}
	options := harness.Options{
		Approve: func(_ context.Context, a toolscript.Approval) toolscript.ApprovalAnswer {
			fmt.Println("approve", a.Tool, a.Args) // ask the person here
			return toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow}
		},
		Progress: func(harness.Item) {},
	}
	err = harness.Process(ctx, gateway, read, options, func(item harness.Item) error {
		if output, ok := item.(harness.ScriptToolCallOutput); ok {
			fmt.Println(string(output.Value))
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// approve app__pay {"to":"Ada","amount":12}
	// "12.00 to Ada"
}
