//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/toolscript/toolscript/runner/worker"
)

// engineFile is the path of the program's engine, relative to the root of the repository.
const engineFile = "runner/quickjs/quickjs.wasm"

const (
	fuelRounds = 8
	fuelTurns  = 8 // turns per program and round
)

// fuel measures the cost of charging loops. It runs the same programs on the program's engine and on
// an engine without fuel. It also compares the latter with itself, to show the accuracy of a
// ratio.
//
// Three effects change the time of a program more than fuel does. First, a shared
// virtual core changes its speed for tenths of a second at a time. The runs are
// therefore short and alternate, and the result is the median of the ratios. Second,
// a process is faster or slower than another by some hundredths for its whole life,
// depending on the layout of its memory. Each round therefore has new processes, two
// of them without fuel. Third, some distances between the stack of the engine and
// that of the machine make either engine slower by a quarter, at one depth of calls
// only. Each turn therefore calls the program at another depth.
//
// Processes are warm before the first turn, and only the CPU time of the script
// counts.
func (b *bench) fuel(ctx context.Context) error {
	free, err := b.freeProgram(ctx)
	if err != nil {
		return err
	}
	found := make([]fuelRatios, len(computations))
	for range fuelRounds {
		if err := b.fuelRound(ctx, free, found); err != nil {
			return err
		}
	}
	for i, p := range computations {
		showFuel("CPU with fuel to CPU without, "+p.short, found[i].charged, "   (want ≤ 1.10)")
		showFuel("  without to without", found[i].control, "")
	}
	return nil
}

// fuelRatios holds ratios of the CPU times of one program, one slice per round. charged is the time of
// the engine with fuel divided by the mean of two engines without; control is the ratio of these two.
type fuelRatios struct{ charged, control [][]float64 }

// fuelRound measures all programs with three new processes.
func (b *bench) fuelRound(ctx context.Context, free string, found []fuelRatios) error {
	var engines [3]*worker.Sandbox // without fuel, with fuel, without fuel
	for i, program := range []string{free, b.Bin, free} {
		s, err := b.sandbox(ctx, program)
		if err != nil {
			return err
		}
		defer s.Close()
		engines[i] = s
	}
	for i, p := range computations {
		code := p.sized(p.small)
		if _, err := fuelTurn(ctx, engines, code); err != nil { // the warm-up
			return err
		}
		var charged, control []float64
		for depth := range fuelTurns {
			cpu, err := fuelTurn(ctx, engines, atDepth(code, depth))
			if err != nil {
				return err
			}
			charged, control = append(charged, 2*cpu[1]/(cpu[0]+cpu[2])), append(control, cpu[2]/cpu[0])
		}
		found[i].charged, found[i].control = append(found[i].charged, charged), append(found[i].control, control)
	}
	return nil
}

// fuelTurn runs a program twice on each engine, always in the same order. Thus no process finds the
// caches as its own previous run left them, and the engine with fuel is between the other two.
func fuelTurn(ctx context.Context, engines [3]*worker.Sandbox, code string) (cpu [3]float64, err error) {
	for _, i := range []int{0, 1, 2, 0, 1, 2} {
		ms, _, err := inside(ctx, engines[i], code)
		if err != nil {
			return cpu, err
		}
		cpu[i] += ms
	}
	return cpu, nil
}

// atDepth returns a program that runs inside the given number of nested function
// calls.
func atDepth(code string, depth int) string {
	return fmt.Sprintf("const deep = (n, program) => n > 0 ? deep(n - 1, program) : program();\n"+
		"const result = deep(%d, () => {%s\nreturn result; });", depth, code)
}

// showFuel prints the median of all ratios, their middle half, and the range of the
// medians of the rounds.
func showFuel(what string, rounds [][]float64, want string) {
	var medians []float64
	for _, r := range rounds {
		medians = append(medians, median(r))
	}
	all := slices.Concat(rounds...)
	fmt.Printf("%-62s %9.2f ×   half of %d in %.2f to %.2f, medians of %d rounds %.2f to %.2f%s\n", what, median(all),
		len(all), percentile(all, 0.25), percentile(all, 0.75), len(rounds), slices.Min(medians), slices.Max(medians), want)
}

// freeProgram builds this program with an engine without fuel, in a temporary folder.
func (b *bench) freeProgram(ctx context.Context) (string, error) {
	engine, program := filepath.Join(b.Home, "free.wasm"), filepath.Join(b.Home, "toolscript-free")
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, engineFile): engine}})
	if err != nil {
		return "", err
	}
	instead := filepath.Join(b.Home, "overlay.json")
	if err := os.WriteFile(instead, overlay, 0o600); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"run", "./release/generate", "engine", "-free", "-o", engine},
		{"build", "-overlay", instead, "-o", program, "./cmd/toolscript"},
	} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("go %s: %w", args[0], err)
		}
	}
	return program, nil
}
