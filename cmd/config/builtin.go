package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/upstream"
)

// builtinTools returns the tools of a built-in server; nil for a server of another type.
func builtinTools(n *node, packs toolscript.ToolPacks) ([]string, error) {
	if !kindOf(n).Has("tools") {
		return nil, nil
	}
	entries := n.child("tools").texts()
	if one := n.child("tools").text(); one != "" {
		entries = []string{one}
	}
	return builtin.NewRegistry().Select(packs, entries)
}

// builtinSettings reads the settings of a server's built-in tools, whose names are those of the keys.
func builtinSettings(n *node) (s upstream.BuiltinSettings) {
	if kindOf(n).Has("exec") {
		text, _ := json.Marshal(n.plain()) // it was parsed from JSON
		_ = json.Unmarshal(text, &s)       // the schema has checked the types
	}
	return s
}

// merged returns packs with the packs of a file, which replace those of the same name.
func merged(packs toolscript.ToolPacks, n *node) toolscript.ToolPacks {
	if n == nil {
		return packs
	}
	all := toolscript.ToolPacks{}
	maps.Copy(all, packs)
	for name, pack := range n.children() {
		all[name] = toolscript.ToolPack{Extends: pack.child("extends").texts(), Tools: pack.child("tools").texts()}
	}
	return all
}

// checkSlots returns an error if agents of a built-in server could occupy all its calls, for which the calls
// of their own scripts would then wait.
func checkSlots(c upstream.Config) error {
	if c.Concurrency == 0 || c.Concurrency > upstream.MaxAgents || !slices.Contains(c.Tools, builtin.LaunchSync.Name) {
		return nil
	}
	return fmt.Errorf("%d is not enough with %s: up to %d agents run at once, each as one call, and their scripts call tools of this server too; use %d or more",
		c.Concurrency, builtin.LaunchSync.Name, upstream.MaxAgents, upstream.MaxAgents+1)
}
