package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// A section is a set of packages and the way in which their tests run, or a task.
type section struct {
	name   string
	proves string
	task   string                // task of Taskfile.yml, with its variables
	in     func(pkg string) bool // selects packages of this module
	also   []string              // packages of other modules
	first  []string              // the slowest packages, which start first, so that none of them runs alone at the end
	flags  []string              // flags of go test
	atOnce int                   // number of packages that run at the same time
}

const (
	shim   = "github.com/microsoft/typescript-go/shim/..." // the nested module, which ./... does not include
	module = "github.com/toolscript/toolscript"
	suites = module + "/test/"
)

var sections = []section{
	{
		name: "packages", proves: "each package by itself",
		in:    func(pkg string) bool { return isPackage(pkg) && !sharesState(pkg) },
		first: []string{"transport/hub/host", "cmd/cli", "cmd/hub", "actors", "runner/quickjs", "runner/worker", "transport/mcpclient", "cmd/mcp", "harness", "codegen"},
		also:  []string{shim}, flags: []string{"-short"}, atOnce: runtime.NumCPU() + 1, // many wait
	},
	{
		name: "state", proves: "the packages whose state many goroutines share, with the race detector",
		in: sharesState, flags: []string{"-short", "-race"}, atOnce: runtime.NumCPU(),
	},
	{
		name: "suites", proves: "the program with real servers and clients, one pass",
		in:    func(pkg string) bool { return isSuite(pkg) && !measures(pkg) && !hasNoShortForm(pkg) },
		first: []string{"test/sandbox", "test/script", "test/integration", "test/dashboard", "test/sharing", "test/npm", "test/fleet", "test/harness/workflow"},
		flags: []string{"-short"}, atOnce: 2,
	},
	{
		name: "bounds", proves: "the bounds of memory and descriptors, measured without other work",
		in: measures, flags: []string{"-short"}, atOnce: 1,
	},
	{
		name: "packages-race", proves: "each package, whole, with the race detector",
		in: isPackage, also: []string{shim}, flags: []string{"-race"}, atOnce: runtime.NumCPU(),
	},
	{
		name: "suites-race", proves: "the suites whose program has the race detector, whole",
		in: func(pkg string) bool { return isSuite(pkg) && !plain(pkg) }, flags: []string{"-race"}, atOnce: 1,
	},
	{
		name: "suites-plain", proves: "the other suites, whole: they measure, or drive a client that waits for seconds only",
		in: func(pkg string) bool { return isSuite(pkg) && plain(pkg) }, atOnce: 1,
	},
	{name: "engine", proves: "the embedded engine and its locales are those of their npm packages", task: "engine"},
	{name: "model", proves: "the embedded model is that of its npm package", task: "model"},
	{name: "modules", proves: "the modules of the operator page are those of their npm packages", task: "modules"},
	{name: "soak", proves: "scripts of every ending while workers are killed, and ten real servers", task: "soak RUNS=200"},
	{name: "python", proves: "sixteen Python servers and five Python clients, where Python is present", task: "python"},
	{name: "faults", proves: "calls of twenty gateways while their processes are killed", task: "faults FOR=45s"},
	{name: "platforms", proves: "the program compiles for the other platforms, and vet finds nothing there", task: "platforms"},
	{name: "musl", proves: "the program runs where there is only busybox, as in an image of Alpine (needs busybox-static of Debian)", task: "musl"},
	{name: "staticcheck", proves: "what the linters find that read the sources of all dependencies", task: "staticcheck"},
}

func find(name string) (section, bool) {
	i := slices.IndexFunc(sections, func(s section) bool { return s.name == name })
	if i < 0 {
		return section{}, false
	}
	return sections[i], true
}

func isSuite(pkg string) bool   { return strings.HasPrefix(pkg, suites) }
func isPackage(pkg string) bool { return !isSuite(pkg) }

// sharesState reports whether many goroutines share the state of the package, whose tests start no
// process, which would need the race detector too, and do not link TypeScript's compiler.
func sharesState(pkg string) bool {
	return slices.Contains([]string{
		"actors/approval", "actors/audit", "actors/catalog", "actors/internal/mailbox", "actors/login", "actors/pin", "actors/runs",
		"actors/runs/kept", "actors/search", "actors/server", "actors/store", "actors/typecache", "actors/workers",
		"harness/agent", "internal/budget", "transport/egress", "transport/hub/cluster", "transport/hub/wire",
		"transport/mcpclient/httptransport", "transport/oauth", "transport/telemetry", "transport/upstream",
	}, strings.TrimPrefix(pkg, module+"/"))
}

func measures(pkg string) bool { return pkg == suites+"bounds" }

// hasNoShortForm reports whether -short skips all tests of a suite, which then need not be linked.
func hasNoShortForm(pkg string) bool {
	return slices.Contains([]string{"fleettable", "simulation"}, strings.TrimPrefix(pkg, suites))
}

// plain reports whether the suite runs the program without the race detector.
func plain(pkg string) bool {
	return slices.Contains([]string{"bounds", "conformance", "dashboard", "harness/workflow", "inspector"}, strings.TrimPrefix(pkg, suites))
}

// packagesOfModule returns the import paths of all packages of the module.
func packagesOfModule() ([]string, error) {
	out, err := exec.Command("go", "list", "-tags", "integration", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return strings.Fields(string(out)), nil
}

// of returns the packages of the section: those of the module that it selects, and others.
func (s section) of(module []string) []string {
	found := slices.DeleteFunc(slices.Clone(module), func(pkg string) bool { return !s.in(pkg) })
	slices.SortStableFunc(found, func(a, b string) int { return s.turn(a) - s.turn(b) })
	return append(found, s.also...)
}

func (s section) turn(pkg string) int {
	if i := slices.Index(s.first, strings.TrimPrefix(pkg, module+"/")); i >= 0 {
		return i
	}
	return len(s.first)
}
