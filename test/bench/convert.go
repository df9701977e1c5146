package main

import (
	"context"
	"strings"
	"time"

	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/transport/builtin/web"
	"github.com/toolscript/toolscript/transport/upstream"
)

// converter starts a converter process and returns the port to it.
func (b *bench) converter(ctx context.Context) (port upstream.ConvertPort, end func(), err error) {
	c, err := worker.StartConverter(ctx, worker.Options{Executable: b.Bin})
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, name string, input [][]byte, need upstream.ConvertNeed, most int) ([]byte, error) {
		return c.Convert(ctx, name, input, need, most)
	}, c.Close, nil
}

// convert compares the conversion of a small page in a converter process with that in this process,
// and measures the first conversion, which includes the start of the converter process.
func (b *bench) convert(ctx context.Context) error {
	input, err := upstream.Pack(map[string]string{"url": "https://example.org/", "type": "text/html"},
		[]byte("<title>T</title>"+strings.Repeat("<h2>Head</h2><p>A paragraph with <b>bold</b> text and <a href=/x>a link</a>.</p>", 50)))
	if err != nil {
		return err
	}
	once := func(port upstream.ConvertPort) (float64, error) {
		begun := time.Now()
		_, err := web.Page.Convert(ctx, port, input, nil)
		return milliseconds(time.Since(begun)), err
	}
	var first, here, there, more []float64
	for range 10 {
		begun := time.Now()
		port, end, err := b.converter(ctx)
		if err != nil {
			return err
		}
		if _, err := once(port); err != nil {
			return err
		}
		first = append(first, milliseconds(time.Since(begun)))
		for range 50 {
			plain, err := once(nil)
			if err != nil {
				return err
			}
			took, err := once(port)
			if err != nil {
				return err
			}
			here, there, more = append(here, plain), append(there, took), append(more, took-plain)
		}
		end()
	}
	show("the first conversion, with the start of its process", "ms", first, "")
	show("a page of 4 KB in this process", "ms", here, "")
	show("the same page in a converter", "ms", there, "")
	show("a converter takes longer by", "ms", more, "≤ 3")
	return nil
}
