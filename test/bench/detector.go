//go:build linux

package main

import (
	"context"
	"strings"
	"time"

	"github.com/toolscript/toolscript/harness/answer"
)

// detector measures the search for scripts in answers that contain none: prose with inline code, in
// one piece and in the pieces of a stream.
func (b *bench) detector(ctx context.Context) error {
	text := strings.Repeat("The tests fail because `validate` reads the **wrong** header, see [auth.ts](src/auth.ts).\nI fix it.\n\n", 100_000)
	for _, size := range []int{len(text), 64} {
		var rates []float64
		for range 9 {
			if err := ctx.Err(); err != nil {
				return err
			}
			var d answer.Detector
			begin := time.Now()
			for at := 0; at < len(text); at += size {
				d.Write([]byte(text[at:min(at+size, len(text))]))
			}
			d.Close()
			rates = append(rates, float64(len(text))/1e6/time.Since(begin).Seconds())
		}
		if size == len(text) {
			show("detector of scripts, text without tags", "MB/s", rates, "≥ 200")
		} else {
			show("the same in pieces of 64 bytes", "MB/s", rates, "")
		}
	}
	return nil
}
