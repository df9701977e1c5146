package toolscript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Apply updates the snapshot with an event. It keeps at most SnapshotRuns ended runs,
// SnapshotCalls ended calls and SnapshotLogs log lines. A Notice changes nothing.
func (s *Snapshot) Apply(e LiveEvent) error {
	if e.Type == LiveSnapshot {
		var next Snapshot
		if err := json.Unmarshal(e.Data, &next); err != nil {
			return fmt.Errorf("event %s: %w", e.Type, err)
		}
		*s = next
		return nil
	}
	var about Gone
	if err := json.Unmarshal(e.Data, &about); err != nil {
		return fmt.Errorf("event %s: %w", e.Type, err)
	}
	if about.Gone {
		s.remove(e.Type, about.ID)
		return nil
	}
	entry, err := decodeEntry(e)
	if err != nil {
		return fmt.Errorf("event %s: %w", e.Type, err)
	}
	s.remove(e.Type, about.ID)
	s.Put(entry)
	s.sort(e.Type)
	return nil
}

func decodeEntry(e LiveEvent) (any, error) {
	switch e.Type {
	case LiveGateway:
		return decodeAs[GatewayInfo](e.Data)
	case LiveAttention:
		return decodeAs[Attention](e.Data)
	case LiveServer:
		return decodeAs[ServerEntry](e.Data)
	case LiveActor:
		return decodeAs[ActorEntry](e.Data)
	case LiveRun:
		return decodeAs[RunEntry](e.Data)
	case LiveCall:
		return decodeAs[CallEntry](e.Data)
	case LiveApproval:
		return decodeAs[Approval](e.Data)
	case LiveSession:
		return decodeAs[SessionEntry](e.Data)
	case LiveIndex:
		return decodeAs[IndexEntry](e.Data)
	case LiveLog:
		return decodeAs[LogLine](e.Data)
	case LiveSnapshot, LiveNotice:
	}
	return nil, nil // an event of a newer gateway, or one without an entry
}

func decodeAs[T any](text []byte) (T, error) {
	var v T
	err := json.Unmarshal(text, &v)
	return v, err
}

// Put appends an entry without checking its ID. Call Sort after the last Put.
func (s *Snapshot) Put(entry any) {
	switch e := entry.(type) {
	case GatewayInfo:
		s.Gateway = e
	case Attention:
		s.Attention = append(s.Attention, e)
	case ServerEntry:
		s.Servers = append(s.Servers, e)
	case ActorEntry:
		s.Actors = append(s.Actors, e)
	case RunEntry:
		s.Runs = append(s.Runs, e)
	case CallEntry:
		s.Calls = append(s.Calls, e)
	case Approval:
		s.Approvals = append(s.Approvals, e)
	case SessionEntry:
		s.Sessions = append(s.Sessions, e)
	case IndexEntry:
		s.Index = append(s.Index, e)
	case LogLine:
		s.Logs = append(s.Logs, e)
	}
}

func (s *Snapshot) remove(kind LiveType, id string) {
	switch kind {
	case LiveAttention:
		s.Attention = slices.DeleteFunc(s.Attention, func(e Attention) bool { return e.ID == id })
	case LiveServer:
		s.Servers = slices.DeleteFunc(s.Servers, func(e ServerEntry) bool { return e.ID == id })
	case LiveActor:
		s.Actors = slices.DeleteFunc(s.Actors, func(e ActorEntry) bool { return e.ID == id })
	case LiveRun:
		s.Runs = slices.DeleteFunc(s.Runs, func(e RunEntry) bool { return e.ID == id })
	case LiveCall:
		s.Calls = slices.DeleteFunc(s.Calls, func(e CallEntry) bool { return e.ID == id })
	case LiveApproval:
		s.Approvals = slices.DeleteFunc(s.Approvals, func(e Approval) bool { return e.ID == id })
	case LiveSession:
		s.Sessions = slices.DeleteFunc(s.Sessions, func(e SessionEntry) bool { return e.ID == id })
	case LiveIndex:
		s.Index = slices.DeleteFunc(s.Index, func(e IndexEntry) bool { return e.ID == id })
	case LiveLog:
		s.Logs = slices.DeleteFunc(s.Logs, func(e LogLine) bool { return e.ID == id })
	case LiveSnapshot, LiveGateway, LiveNotice:
	}
}

// Sort sorts the entries as documented in Snapshot, applies its limits, and replaces
// nil by empty lists.
func (s *Snapshot) Sort() {
	s.Servers, s.Actors, s.Runs, s.Calls = orEmpty(s.Servers), orEmpty(s.Actors), orEmpty(s.Runs), orEmpty(s.Calls)
	s.Attention, s.Approvals, s.Index, s.Logs = orEmpty(s.Attention), orEmpty(s.Approvals), orEmpty(s.Index), orEmpty(s.Logs)
	s.Sessions, s.Gateway.Configuration = orEmpty(s.Sessions), orEmpty(s.Gateway.Configuration)
	for _, kind := range []LiveType{LiveAttention, LiveServer, LiveActor, LiveRun, LiveCall, LiveApproval, LiveSession, LiveIndex, LiveLog} {
		s.sort(kind)
	}
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (s *Snapshot) sort(kind LiveType) {
	switch kind {
	case LiveAttention:
		slices.SortFunc(s.Attention, func(a, b Attention) int {
			return cmp.Or(cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.ID, b.ID))
		})
	case LiveServer:
		slices.SortFunc(s.Servers, func(a, b ServerEntry) int { return cmp.Compare(a.ID, b.ID) })
	case LiveActor:
		slices.SortFunc(s.Actors, func(a, b ActorEntry) int { return cmp.Compare(a.ID, b.ID) })
	case LiveRun:
		slices.SortFunc(s.Runs, func(a, b RunEntry) int {
			return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(a.ID, b.ID))
		})
		s.Runs = limited(s.Runs, SnapshotRuns, func(r RunEntry) bool { return r.EndedAt != nil })
	case LiveCall:
		slices.SortFunc(s.Calls, func(a, b CallEntry) int { return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.ID, b.ID)) })
		s.Calls = limited(s.Calls, SnapshotCalls, func(c CallEntry) bool { return c.State == CallEnded })
	case LiveApproval:
		slices.SortFunc(s.Approvals, func(a, b Approval) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	case LiveSession:
		slices.SortFunc(s.Sessions, func(a, b SessionEntry) int { return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.ID, b.ID)) })
	case LiveIndex:
		slices.SortFunc(s.Index, func(a, b IndexEntry) int { return cmp.Compare(a.ID, b.ID) })
	case LiveLog:
		slices.SortFunc(s.Logs, func(a, b LogLine) int { return cmp.Compare(number(a.ID), number(b.ID)) })
		s.Logs = s.Logs[max(0, len(s.Logs)-SnapshotLogs):]
	case LiveSnapshot, LiveGateway, LiveNotice:
	}
}

func number(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64) // the IDs of log lines are numbers
	return n
}

// limited removes the ended entries after the first most of them.
func limited[T any](all []T, most int, ended func(T) bool) []T {
	count := 0
	return slices.DeleteFunc(all, func(e T) bool {
		if ended(e) {
			count++
		}
		return count > most && ended(e)
	})
}
