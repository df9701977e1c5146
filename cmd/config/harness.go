package config

import "maps"

// Harness are the settings of scripts in the answers of models.
type Harness struct {
	Mode      string          // disabled, dry-run or enabled; "" is enabled
	Providers map[string]bool // whether a provider's scripts run; the others' do
}

// apply puts the settings of a file over the others; each provider is separate.
func (h *Harness) apply(settings, providers *node) {
	override(&h.Mode, settings.child("mode"))
	all := maps.Clone(h.Providers)
	for name, provider := range providers.children() {
		if enabled := provider.child("scriptHarness").child("enabled"); enabled != nil {
			if all == nil {
				all = map[string]bool{}
			}
			all[name] = enabled.flag()
		}
	}
	h.Providers = all
}

// ModeOf returns the mode for a provider.
func (h Harness) ModeOf(provider string) string {
	if enabled, set := h.Providers[provider]; set && !enabled {
		return "disabled"
	}
	return h.Mode
}
