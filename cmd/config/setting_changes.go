package config

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/toolscript/toolscript"
)

// Differences returns the settings that differ from those of a gateway, by their names in
// the file, sorted. now are the settings in force; start are those that the gateway started
// with, because some take effect only at the start. The result contains no values.
func (s Settings) Differences(now, start Settings) []toolscript.SettingChange {
	changes := []toolscript.SettingChange{}
	add := func(restart bool, one, other map[string]any) {
		for name, value := range one {
			if !reflect.DeepEqual(value, other[name]) {
				changes = append(changes, toolscript.SettingChange{Name: name, Restart: restart})
			}
		}
	}
	add(false, s.live(), now.live())
	add(true, s.atStart(), start.atStart())
	for name, value := range limitFields(&s.Limits) {
		if *value != *limitFields(&now.Limits)[name] {
			changes = append(changes, toolscript.SettingChange{Name: "limits." + name})
		}
	}
	for _, name := range s.Search.Changes(now.Search) {
		changes = append(changes, toolscript.SettingChange{Name: "search." + name})
	}
	providers := map[string]Provider{}
	maps.Copy(providers, s.Harness.Providers)
	maps.Copy(providers, now.Harness.Providers)
	for name := range providers {
		if s.Harness.Providers[name] != now.Harness.Providers[name] {
			changes = append(changes, toolscript.SettingChange{Name: "providers." + name})
		}
	}
	slices.SortFunc(changes, func(a, b toolscript.SettingChange) int { return cmp.Compare(a.Name, b.Name) })
	return changes
}

// live returns the settings that a running gateway can change.
func (s Settings) live() map[string]any {
	return map[string]any{
		"engine": s.Engine, "check": s.Check, "toolPacks": s.ToolPacks,
		"types.openObjects": s.Types.OpenObjects, "types.observe": s.Types.NoObserve, "types.describe": s.Types.Describe,
		"fleet": s.Fleet, "limits.pool": s.Pool, "limits.answersMb": s.AnswersMB, "limits.mediaBlocks": s.Media.Blocks, "limits.mediaBytes": s.Media.Bytes, "output.maxTokens": s.Output.MaxTokens,
		"scriptHarness.mode": s.Harness.Mode, "telemetry.metrics.tools": s.Telemetry.Tools,
		"approvals": s.Approvals, "approvals.confirm": [2]bool{s.ConfirmAtTerminal, s.ConfirmAtClient},
		"profiles": s.Profiles, "profile": s.Profile, "pins.policy": s.PinPolicy(), "store.scopes": s.StoreScopes, "audit.recipients": s.Audit.Recipients,
	}
}

// atStart returns the settings that a gateway reads only when it starts.
func (s Settings) atStart() map[string]any {
	return map[string]any{
		"audit.enabled": s.Audit.Off, "audit.fileMb": s.Audit.FileMB, "audit.keepMb": s.Audit.KeepMB, "audit.keepDays": s.Audit.KeepDays,
		"telemetry.metrics.port": s.Telemetry.MetricsPort, "output.prompts": s.Output.NoPrompts, "output.taskAfter": s.Output.TaskAfter,
		"telemetry.otlp": []any{s.Telemetry.Endpoint, s.Telemetry.Headers},
	}
}
