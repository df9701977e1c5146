package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// ConvertLimit bounds the time of one conversion. GitHub's OpenAPI document takes a third of
// a second as JSON, and two seconds as YAML. The wall time includes the time in which a
// conversion waits for input.
var ConvertLimit = runner.Usage{Work: 10 * time.Second, Wall: 2 * time.Minute}

// maxConverterMemory bounds the memory of a converter. Two converters and the gateway stay
// below 600 MB.
const maxConverterMemory = 256 << 20

// wornConverter is the memory at which a converter is replaced after its work.
const wornConverter = 96 << 20

// A Converter works on documents, pages and patches in a worker. One caller uses it at a
// time. If a conversion exceeds the limits or its ctx ends, the worker is killed, see Done:
// nothing else stops a parser.
type Converter struct {
	*Process
}

// StartConverter starts a converter and waits until it is ready.
func StartConverter(ctx context.Context, o Options) (*Converter, error) {
	p, err := start(ctx, roleConverter, o)
	if err != nil {
		return nil, err
	}
	return &Converter{p}, nil
}

// Worn reports whether this worker should be replaced because it has grown.
func (c *Converter) Worn() bool { return c.RSS() >= wornConverter }

// Convert runs the Conversion with the given name. The input is the concatenation of its parts. need returns
// further input; nil means that there is none. The error is TooLarge if the output has more than most bytes,
// and Invalid if the conversion exceeds ConvertLimit or the limit of memory.
func (c *Converter) Convert(ctx context.Context, name string, input [][]byte, need Need, most int) ([]byte, error) {
	stop := context.AfterFunc(ctx, c.Kill)
	watch := runner.StartWatch(c.PID(), runner.Bounds{Memory: maxConverterMemory, Most: ConvertLimit}, func(error) { c.Kill() })
	output, err := c.exchange(name, input, need, most)
	if over := watch.Stop(); over != nil {
		<-c.done // the pool must not lend a worker that is ending
		output, err = nil, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("it could not be converted: %w", over.Err)}
	}
	if !stop() {
		<-c.done
		return nil, toolscript.ContextError(ctx)
	}
	return output, err
}

// exchange sends the input, answers requests for further input, and returns the output.
func (c *Converter) exchange(name string, input [][]byte, need Need, most int) ([]byte, error) {
	if err := c.link.writeLong(frameConvert, convertHeader{name}, input); err != nil {
		return nil, c.lost()
	}
	for {
		kind, header, raw, err := c.link.readLong(most)
		switch {
		case toolscript.KindOf(err) == toolscript.TooLarge:
			c.Kill() // the worker would still send the rest of the output
			<-c.done
			return nil, err
		case err != nil:
			return nil, c.lost()
		case kind == frameConverted:
			return resultOf(header, raw)
		case kind != frameNeed:
			return nil, c.lost()
		}
		var wanted needHeader
		if err := json.Unmarshal(header, &wanted); err != nil {
			return nil, c.lost()
		}
		given, err := give(need, wanted.Name)
		if err := c.link.writeLong(frameGiven, outcomeOf(err), [][]byte{given}); err != nil {
			return nil, c.lost()
		}
	}
}

func give(need Need, name string) ([]byte, error) {
	if need == nil {
		return nil, errors.New("a fault of toolscript: the conversion has only one input")
	}
	return need(name)
}

// lost kills the worker and returns the error for a conversion whose worker has ended or
// broke the protocol.
func (c *Converter) lost() error {
	c.Kill()
	<-c.done
	if strings.Contains(c.stderr.String(), "stack exceeds") {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("it could not be converted: it nests too deep")}
	}
	return c.gone()
}
