package status

import "strings"

// The colours come from the terminal's own palette. bubbletea omits them if NO_COLOR or
// TERM asks for that.
const (
	reset    = "\x1b[0m"
	bold     = "\x1b[1m"
	dim      = "\x1b[2m"
	reversed = "\x1b[7m"
	red      = "\x1b[31m"
	green    = "\x1b[32m"
	yellow   = "\x1b[33m"
	cyan     = "\x1b[36m"
)

// styles maps the first word of a state to its style.
var styles = map[string]string{
	"ready": green, "alive": green, "no": red, "stale": yellow, "ok": green, "running": green, "hybrid": green,
	"backoff": red, "failed": red, "error": red, "ERROR": red, "restarting": red,
	"needs": yellow, "ask": yellow, "warning": yellow, "WARN": yellow,
	"connecting": cyan, "installing": cyan, "starting": cyan, "resting": dim, "waiting": cyan, "checking": cyan,
	"disabled": dim, "stopped": dim, "ended": dim,
}

func styleOf(state string) string {
	word, _, _ := strings.Cut(strings.TrimRight(state, "…"), " ")
	return styles[strings.TrimSuffix(word, ",")]
}
