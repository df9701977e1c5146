package worker

import (
	"encoding/json"
	"fmt"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
)

// serveChecker compiles one source after the other. It does not return while
// the gateway is there.
func (c *child) serveChecker() error {
	script.Compile(runner.Source{Code: "export default 1"}) // the first time takes three times as long
	if err := c.sayReady(); err != nil {
		return err
	}
	sources := make(chan runner.Source)
	go c.receive(func(kind frameType, payload []byte) error {
		if kind != frameCompile {
			return fmt.Errorf("a checker was sent message %d", kind)
		}
		var src runner.Source
		if err := json.Unmarshal(payload, &src); err != nil {
			return err
		}
		sources <- src
		return nil
	})
	for src := range sources {
		var answer compiled
		answer.Compiled, answer.Diagnostics = script.Compile(src)
		if err := c.link.writeJSON(frameCompiled, answer, nil); err != nil {
			return err
		}
	}
	return nil
}
