package app

import (
	"strings"
	"testing"
)

// NO_COLOR takes precedence over CLICOLOR_FORCE. The output in this test is not a terminal.
func TestColoured(t *testing.T) {
	for env, want := range map[string]bool{
		"":                            false,
		"CLICOLOR_FORCE=1":            true,
		"CLICOLOR_FORCE=0":            false,
		"CLICOLOR_FORCE=1 NO_COLOR=1": false,
		"CLICOLOR_FORCE=1 NO_COLOR=":  true,
		"CLICOLOR_FORCE=1 TERM=dumb":  true,
		"CLICOLOR=1 TERM=xterm":       false,
	} {
		a := &App{State: State{Env: strings.Fields(env)}}
		if got := a.Coloured(&strings.Builder{}); got != want {
			t.Errorf("%q: %v, want %v", env, got, want)
		}
	}
}
