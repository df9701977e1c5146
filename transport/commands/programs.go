package commands

import (
	"errors"
	"fmt"

	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// FindPrograms returns an error that names the programs of a server that do not exist. host
// is the environment of the gateway.
func FindPrograms(host []string, cfg upstream.Config) error {
	definitions, err := Parse(cfg.Commands)
	if err != nil {
		return err
	}
	var missing []error
	seen := map[string]bool{}
	for _, name := range sorted(definitions) {
		if _, problem := definitions[name].Check(); problem != "" {
			continue
		}
		program := definitions[name].Run[0]
		if seen[program] {
			continue
		}
		seen[program] = true
		cfg.Command, cfg.Dir = program, cfg.Root
		if err := mcpclient.FindProgram(host, cfg); err != nil {
			missing = append(missing, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(missing...)
}
