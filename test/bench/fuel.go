//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// engineFile is what the program embeds, from the root of the repository.
const engineFile = "runner/quickjs/quickjs.wasm"

// fuel measures what charging loops costs: the same programs on the engine as it
// is and on one that charges nothing, in turns.
func (b *bench) fuel(ctx context.Context) error {
	free, err := b.freeProgram(ctx)
	if err != nil {
		return err
	}
	charged, err := b.sandbox(ctx, b.Bin)
	if err != nil {
		return err
	}
	defer charged.Close()
	uncharged, err := b.sandbox(ctx, free)
	if err != nil {
		return err
	}
	defer uncharged.Close()
	for _, p := range computations {
		var ratios []float64
		for range programRounds {
			a, _, err := inside(ctx, charged, p.code)
			if err != nil {
				return err
			}
			c, _, err := inside(ctx, uncharged, p.code)
			if err != nil {
				return err
			}
			ratios = append(ratios, a/c)
		}
		show("CPU with fuel to CPU without, "+p.name, "× ", ratios, "≤ 1.10")
	}
	return nil
}

// freeProgram builds this program with an engine that charges nothing. Nothing
// of that stays.
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
		{"run", "./runner/quickjs/internal/genwasm", "-free", "-o", engine},
		{"build", "-trimpath", "-overlay", instead, "-o", program, "./cmd/toolscript"},
	} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("go %s: %w", args[0], err)
		}
	}
	return program, nil
}
