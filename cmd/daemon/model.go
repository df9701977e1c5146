package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/harness/agent"
)

// ModelChoice selects a model of the configuration.
type ModelChoice struct {
	Provider  string // "" selects the only provider with a model
	Model     string // "" selects the model of the provider
	MaxTokens int    // maximum length of one answer; 0: the provider's maximum
	How       string // how the caller names a provider, for the error message
}

// Model returns the client of the chosen model, and the name of its provider.
func Model(all map[string]config.Provider, choice ModelChoice) (string, *agent.Client, error) {
	name, err := providerOf(all, choice)
	if err != nil {
		return "", nil, err
	}
	p, ok := all[name]
	if !ok || p.Model == "" {
		return "", nil, fmt.Errorf("the provider %.80q has no model in the configuration, or a variable of it is not set", name)
	}
	client, err := agent.NewClient(agent.ClientOptions{
		API: agent.API(p.API), URL: p.URL, Model: cmp.Or(choice.Model, p.Model), Key: p.Key, MaxTokens: cmp.Or(choice.MaxTokens, p.MaxTokens),
	})
	if err != nil {
		return "", nil, fmt.Errorf("provider %q: %w", name, err)
	}
	return name, client, nil
}

// providerOf returns the name of the chosen provider.
func providerOf(all map[string]config.Provider, choice ModelChoice) (string, error) {
	if choice.Provider != "" {
		return choice.Provider, nil
	}
	var with []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name].Model != "" {
			with = append(with, name)
		}
	}
	switch len(with) {
	case 0:
		return "", errors.New(`no provider has a model; write one to the configuration: {"providers": {"anthropic": {"model": "MODEL", "key": "${ANTHROPIC_API_KEY}"}}}`)
	case 1:
		return with[0], nil
	}
	return "", fmt.Errorf("several providers have a model: choose one of %s with %s", strings.Join(with, ", "), choice.How)
}
