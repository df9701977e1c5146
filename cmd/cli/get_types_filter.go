package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/gateway"
)

// known wants at least one entry of the filter to name a server, and warns of
// the others: they select nothing.
func (o *getTypesOptions) known(filter toolscript.Filter, servers []toolscript.ServerStatus) error {
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	return o.unless(filter, func(entry string) error {
		if namesServer(entry, names) {
			return nil
		}
		return notConfigured(entry, names)
	})
}

// present wants at least one entry of the filter to select something, now that
// the servers had their time to connect. What a server would have that is not
// connected is not known.
func (o *getTypesOptions) present(filter toolscript.Filter, servers []toolscript.ServerStatus, tools []gateway.ToolInfo) error {
	var ids []string
	for _, t := range tools {
		ids = append(ids, t.QualifiedName)
	}
	return o.unless(filter, func(entry string) error {
		missing := noTool(entry, ids)
		for _, s := range servers {
			switch {
			case entry == s.Name, slices.Contains(ids, entry):
				return nil
			case namesServer(entry, []string{s.Name}) && s.State != toolscript.Ready:
				missing = &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New(trouble(s))}
			}
		}
		return missing
	})
}

// noTool is the error of an id that no tool has.
func noTool(id string, ids []string) error {
	text := fmt.Sprintf("there is no tool %q", id)
	if near := toolscript.Nearest(id, ids, 3); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	} else {
		text += "; see: toolscript list-tools"
	}
	return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New(text)}
}

// unless warns of the entries that a check finds wrong, and fails when that is
// all of them.
func (o *getTypesOptions) unless(filter toolscript.Filter, wrong func(entry string) error) error {
	var found []error
	for _, entry := range filter {
		if err := wrong(entry); err != nil {
			found = append(found, err)
		}
	}
	if len(found) > 0 && len(found) == len(filter) {
		return found[0]
	}
	for _, err := range found {
		o.warn("%v", err)
	}
	return nil
}

// namesServer reports whether an entry of a filter is a server or a tool of one.
func namesServer(entry string, names []string) bool {
	for _, name := range names {
		if entry == name || strings.HasPrefix(entry, name+toolscript.Separator) {
			return true
		}
	}
	return false
}
