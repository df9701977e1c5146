package worker

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/toolscript/toolscript/internal/rescue"
)

// Need returns further input of a conversion by its name, such as a file that a document
// refers to.
type Need = func(name string) ([]byte, error)

// A Conversion is a kind of work that a converter can do. Do may take long or fail, and keeps
// no state between two calls.
type Conversion struct {
	Name string
	Do   func(input []byte, need Need) (output [][]byte, err error) // output is in parts
}

// childConverter is the worker's side of a Converter.
type childConverter struct {
	link  *link
	work  []Conversion
	frame chan longFrame
}

type longFrame struct {
	kind        frameType
	header, raw []byte
}

// serveConverter makes one conversion after the other. It reads while it works, to end when
// the gateway ends.
func (c *child) serveConverter() error {
	if err := c.reportReady(); err != nil {
		return err
	}
	converter := childConverter{link: c.link, work: c.conversions, frame: make(chan longFrame)}
	go func() {
		for {
			kind, header, raw, err := c.link.readLong(0)
			if err != nil {
				exit(err)
			}
			converter.frame <- longFrame{kind, header, raw}
		}
	}()
	for request := range converter.frame {
		if request.kind != frameConvert {
			return fmt.Errorf("a converter was sent message %d", request.kind)
		}
		output, err := converter.convert(request)
		if err := c.link.writeLong(frameConverted, outcomeOf(err), output); err != nil {
			return err
		}
	}
	return nil
}

func (c *childConverter) convert(request longFrame) (output [][]byte, err error) {
	var header convertHeader
	if err := json.Unmarshal(request.header, &header); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(c.work, func(w Conversion) bool { return w.Name == header.Name })
	if i < 0 {
		return nil, fmt.Errorf("a fault of toolscript: there is no conversion %q", header.Name)
	}
	defer rescue.Catch(func(p *rescue.Error) {
		err = fmt.Errorf("a fault of toolscript ended the conversion: %v", p.Reason)
		fmt.Fprintf(os.Stderr, "%v\n%s", p.Reason, p.Stack)
	})
	return c.work[i].Do(request.raw, c.need)
}

// need asks the gateway for more input. The gateway answers before it sends anything else.
func (c *childConverter) need(name string) ([]byte, error) {
	if err := c.link.writeLong(frameNeed, needHeader{name}, nil); err != nil {
		return nil, err
	}
	given := <-c.frame
	if given.kind != frameGiven {
		return nil, fmt.Errorf("a converter that needs input was sent message %d", given.kind)
	}
	return resultOf(given.header, given.raw)
}
