package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/upstream"
)

// builtin returns the folder and the tools of a built-in server, or the folder of a command
// server. problem says why the list of tools is invalid. For other types, all results are zero.
func (o Options) builtin(n *node, file File, packs toolscript.ToolPacks) (root string, tools []string, problem, err error) {
	switch kind := kindOf(n); {
	case !kind.Has("root"):
		return "", nil, nil, nil
	case !kind.Has("tools"):
		root, err = o.commandRoot(n, file)
		return root, nil, nil, err
	}
	o.WorkDir = filepath.Dir(file.Path)
	if root, err = o.absolute(n.child("root").text()); err != nil {
		return "", nil, nil, err
	}
	entries := n.child("tools").texts()
	if one := n.child("tools").text(); one != "" {
		entries = []string{one}
	}
	tools, problem = builtin.NewRegistry().Select(packs, entries)
	return root, tools, problem, nil
}

// builtinSettings reads the settings of a server's built-in tools. Relative paths start at
// the folder of the file.
func (o Options) builtinSettings(n *node, file File) (s upstream.BuiltinSettings, err error) {
	o.WorkDir = filepath.Dir(file.Path)
	exec := n.child("exec")
	s.Exec.Network = exec.child("network").flag()
	for _, path := range exec.child("writable").texts() {
		if path, err = o.absolute(path); err != nil {
			return s, err
		}
		s.Exec.Writable = append(s.Exec.Writable, path)
	}
	web := n.child("web")
	s.Web.AllowHosts = web.child("allowHosts").texts()
	if search := web.child("search"); search != nil {
		s.Web.Search = upstream.SearchSettings{
			Provider: search.child("provider").text(), URL: search.child("url").text(), Key: search.child("key").text(),
		}
	}
	agents := n.child("agents")
	s.Agents = upstream.AgentSettings{
		Provider: agents.child("provider").text(), Models: agents.child("models").texts(), MaxTokens: int(agents.child("maxTokens").count()),
		Depth: int(agents.child("depth").count()), Turns: int(agents.child("turns").count()), Calls: int(agents.child("calls").count()),
	}
	return s, nil
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
