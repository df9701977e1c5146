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
)

// typical is a schema like those of real tools, 1.5 KB with its tool.
const typical = `{"type": "object", "required": ["owner", "filter"], "properties": {
	"owner": {"type": "string", "description": "The account owner of the repository. The name is not case sensitive.", "minLength": 1},
	"state": {"type": "string", "enum": ["open", "closed", "merged", "all"], "default": "open", "description": "Filter by the state of the thing"},
	"labels": {"type": "array", "items": {"type": "string", "description": "A label"}, "description": "Labels that a thing must have"},
	"page": {"type": "integer", "minimum": 1, "default": 1, "description": "Page number for pagination (min 1)"},
	"perPage": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Results per page for pagination (min 1, max 100)"},
	"filter": {"type": "object", "additionalProperties": false, "properties": {
		"since": {"type": "string", "format": "date-time", "description": "Only show results that were last updated after the given time"},
		"until": {"type": "string", "format": "date-time"},
		"assignee": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Who it is assigned to"},
		"size": {"$ref": "#/$defs/range"}, "age": {"$ref": "#/$defs/range"}}}},
	"$defs": {"range": {"type": "object", "properties": {"from": {"type": "number"}, "to": {"type": "number"}}, "required": ["from"], "description": "A range of numbers, with its lower bound included"}}}`

// thousands is 20 servers of 100 tools each, one of which has another version.
func thousands(version int) toolscript.Catalog {
	var tools []toolscript.Tool
	var servers []string
	for server := range 20 {
		name := fmt.Sprintf("server-%d", server)
		servers = append(servers, name)
		for tool := range 100 {
			description := fmt.Sprintf("Finds things of kind %d.", tool)
			if server == 7 {
				description += fmt.Sprintf(" Version %d.", version)
			}
			tools = append(tools, toolscript.Tool{
				Server: name, Name: fmt.Sprintf("find_thing_%d", tool), Description: description, InputSchema: json.RawMessage(typical),
			})
		}
	}
	return toolscript.NewCatalog(uint64(version), servers, tools)
}

// types measures the module of 2,000 tools, names included, from nothing and
// after one server changed.
func (b *bench) types(ctx context.Context) error {
	var cold, changed []float64
	for range 9 {
		var g codegen.Generator
		for version, times := range []*[]float64{&cold, &changed} {
			if err := ctx.Err(); err != nil {
				return err
			}
			c := thousands(version)
			begin := time.Now()
			g.Module(c, codegen.NewNames(c), codegen.Options{Form: codegen.Full})
			*times = append(*times, milliseconds(time.Since(begin)))
		}
	}
	show("module of 2,000 tools of 1.5 KB, cold", "ms", cold, "≤ 250")
	show("the same after one of 20 servers changed", "ms", changed, "≤ 20")
	return nil
}

// arguments measures the validation of typical arguments, compiled once.
func (b *bench) arguments(ctx context.Context) error {
	var v validate.Validator
	schema := json.RawMessage(typical) // in one place, as that of a tool in a catalog
	args := json.RawMessage(`{"owner": "o", "state": "open", "labels": ["x", "y"], "page": 2, "filter": {"since": "2026-01-02T03:04:05Z", "size": {"from": 1}}}`)
	const rounds = 1000
	var times []float64
	for range 20 {
		if err := ctx.Err(); err != nil {
			return err
		}
		begin := time.Now()
		for range rounds {
			if details, err := v.Check(schema, args); err != nil || details != nil {
				return fmt.Errorf("the arguments are refused: %v, %w", details, err)
			}
		}
		times = append(times, 1000*milliseconds(time.Since(begin))/rounds)
	}
	show("arguments decoded and validated", "µs", times, "≤ 10")
	return nil
}
