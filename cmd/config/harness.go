package config

import "maps"

// Harness holds the settings for scripts in the answers of models.
type Harness struct {
	Mode      string // disabled, dry-run or enabled; "" is enabled
	Providers map[string]Provider
}

// Provider holds the settings of one model provider. Key is a secret.
type Provider struct {
	Disabled        bool   // scripts in its answers are not run
	API             string // responses, chat or messages; "" if the configuration does not say it
	URL, Model, Key string
	MaxTokens       int // maximum length of one answer; 0: the default
}

// known has the endpoints of providers that need no url.
var known = map[string]Provider{
	"anthropic": {API: "messages", URL: "https://api.anthropic.com/v1"},
	"openai":    {API: "responses", URL: "https://api.openai.com/v1"},
}

// apply lays the settings of a file over the earlier ones. Each provider is separate. The
// endpoint of a provider is replaced as a whole, because a key must not be sent to another
// address. An endpoint with an unset variable has no effect.
func (h *Harness) apply(settings, providers *node) {
	set(&h.Mode, settings.child("mode"), (*node).text)
	all := maps.Clone(h.Providers)
	for name, n := range providers.children() {
		if all == nil {
			all = map[string]Provider{}
		}
		p := all[name]
		set(&p.Disabled, n.child("scriptHarness").child("enabled"), (*node).off)
		if n.child("model") != nil && len(n.missing()) == 0 {
			p = Provider{
				Disabled: p.Disabled, API: known[name].API, URL: known[name].URL,
				Model: n.child("model").text(), Key: n.child("key").text(), MaxTokens: n.child("maxTokens").integer(),
			}
			set(&p.API, n.child("api"), (*node).text)
			set(&p.URL, n.child("url"), (*node).text)
		}
		all[name] = p
	}
	h.Providers = all
}

// ModeOf returns the mode for a provider.
func (h Harness) ModeOf(provider string) string {
	if h.Providers[provider].Disabled {
		return "disabled"
	}
	return h.Mode
}
