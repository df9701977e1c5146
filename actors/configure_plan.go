package actors

import (
	"maps"
	"reflect"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Plan returns what Configure would do with these servers, and changes nothing.
func (s *System) Plan(servers map[string]upstream.Config) []toolscript.ServerChange {
	s.configuring.Lock()
	defer s.configuring.Unlock()
	return s.plan(servers)
}

// plan returns what Configure does with each server, sorted by name. The caller holds
// configuring.
func (s *System) plan(next map[string]upstream.Config) []toolscript.ServerChange {
	names := maps.Clone(next)
	if names == nil {
		names = map[string]upstream.Config{}
	}
	maps.Copy(names, s.configured)
	states := map[string]toolscript.ServerState{}
	for _, known := range s.current().Servers {
		states[known.Name] = known.State
	}
	changes := make([]toolscript.ServerChange, 0, len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, had := s.configured[name]
		after, has := next[name]
		change := toolscript.ServerChange{Name: name, Action: actionOf(before, had, after, has)}
		if had && has {
			change.Fields = before.Changes(after)
			change.Retry = keepsActor(change.Action) && s.retries(name, after, states[name])
		}
		if has && after.Problem != nil {
			change.Reason = after.Problem.Error()
		}
		changes = append(changes, change)
	}
	return changes
}

// actionOf compares the configurations of a server. Servers that differ only in limits or
// tool filters keep their connection.
func actionOf(before upstream.Config, had bool, after upstream.Config, has bool) toolscript.ChangeAction {
	switch {
	case !had:
		return toolscript.ChangeAdd
	case !has:
		return toolscript.ChangeRemove
	case reflect.DeepEqual(before, after):
		return toolscript.ChangeKeep
	case reflect.DeepEqual(before.Connection(), after.Connection()) && (after.Shared == "" || before.Idle == after.Idle): // a hub learns Idle with the offer
		return toolscript.ChangeAdjust
	case after.Problem != nil || after.Disabled:
		return toolscript.ChangeStop
	default:
		return toolscript.ChangeRestart
	}
}

func keepsActor(a toolscript.ChangeAction) bool {
	return a == toolscript.ChangeKeep || a == toolscript.ChangeAdjust
}

// retries reports whether a reload makes a server that keeps its actor connect again, because
// it is not connected.
func (s *System) retries(name string, config upstream.Config, state toolscript.ServerState) bool {
	if config.Problem != nil || config.Disabled {
		return false
	}
	switch state {
	case toolscript.Backoff, toolscript.Failed, toolscript.NeedsAuth:
	default:
		return false
	}
	_, found := s.directory.Find(serverID(name))
	return found
}

// resultOf returns the result of a reload that carries out the plan.
func resultOf(plan []toolscript.ServerChange) toolscript.Reload {
	r := toolscript.Reload{Added: []string{}, Removed: []string{}, Changed: []string{}, Unchanged: []string{}}
	for _, c := range plan {
		switch c.Action {
		case toolscript.ChangeAdd:
			r.Added = append(r.Added, c.Name)
		case toolscript.ChangeRemove:
			r.Removed = append(r.Removed, c.Name)
		case toolscript.ChangeRestart, toolscript.ChangeStop:
			r.Changed = append(r.Changed, c.Name)
		case toolscript.ChangeAdjust:
			r.Adjusted = append(r.Adjusted, c.Name)
		case toolscript.ChangeKeep:
			if !c.Retry {
				r.Unchanged = append(r.Unchanged, c.Name)
			}
		}
		if c.Retry {
			r.Retried = append(r.Retried, c.Name)
		}
	}
	return r
}
