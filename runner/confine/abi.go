package confine

import (
	"fmt"
	"strings"
)

// scopeABI is the first version of Landlock that restricts signals and abstract sockets.
const scopeABI = 6

// portABI is the first version of Landlock that restricts TCP ports.
const portABI = 4

// holds lists what each version of Landlock can restrict in addition, and the first kernel
// with it; "" if hardly any kernel in use has it.
var holds = []struct {
	abi   int
	what  string
	linux string
}{
	{1, "files", "5.13"},
	{3, "truncation", "6.2"},
	{portABI, "TCP", "6.7"},
	{5, "devices", "6.10"},
	{scopeABI, "signals and abstract sockets", "6.12"},
	{9, "named sockets", ""},
	{10, "UDP", ""},
}

// describe returns what a version of Landlock restricts, and what it lacks in comparison with
// the kernels in use.
func describe(abi int, signals bool) string {
	var held, lacks []string
	for _, h := range holds {
		switch {
		case h.abi == scopeABI && abi >= scopeABI && !signals:
			lacks = append(lacks, h.what+" (this kernel has an erratum)")
		case h.abi <= abi:
			held = append(held, h.what)
		case h.linux != "":
			lacks = append(lacks, h.what+" (Linux "+h.linux+")")
		}
	}
	text := fmt.Sprintf("ABI %d: %s", abi, strings.Join(held, ", "))
	if len(lacks) > 0 {
		text += "; it lacks " + strings.Join(lacks, ", ")
	}
	return text
}
