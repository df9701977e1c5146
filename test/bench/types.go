//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/codegen/validate"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/test/toolslist"
)

// types measures generating the module of 2,000 tools, including catalog and names: from scratch,
// and after one server has changed.
func (b *bench) types(ctx context.Context) error {
	var cold, changed []float64
	for range 9 {
		var g codegen.Generator
		for version, times := range []*[]float64{&cold, &changed} {
			if err := ctx.Err(); err != nil {
				return err
			}
			tools := toolslist.Thousands(version)
			begin := time.Now()
			c := toolscript.NewCatalog(uint64(version), nil, tools)
			g.Module(c, naming.New(c), codegen.Options{Form: codegen.Full})
			*times = append(*times, milliseconds(time.Since(begin)))
		}
	}
	show("module of 2,000 tools of 1.5 KB, cold", "ms", cold, "≤ 250")
	show("the same after one of 20 servers changed", "ms", changed, "≤ 20")
	return nil
}

// arguments measures the validation of typical arguments with a schema that is compiled only once.
func (b *bench) arguments(ctx context.Context) error {
	var v validate.Validator
	schema := json.RawMessage(toolslist.Typical) // always at the same address, like the schema of a tool in a catalog
	args := json.RawMessage(`{"owner": "o", "state": "open", "labels": ["x", "y"], "page": 2, "filter": {"since": "2026-01-02T03:04:05Z", "size": {"from": 1}}}`)
	const rounds = 1000
	var times []float64
	for range 20 {
		if err := ctx.Err(); err != nil {
			return err
		}
		begin := time.Now()
		for range rounds {
			if details, err := v.Check(ctx, schema, args); err != nil || details != nil {
				return fmt.Errorf("the arguments are refused: %v, %w", details, err)
			}
		}
		times = append(times, 1000*milliseconds(time.Since(begin))/rounds)
	}
	show("arguments decoded and validated", "µs", times, "≤ 10")
	return nil
}
