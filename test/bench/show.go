//go:build linux

package main

import (
	"fmt"
	"slices"
	"time"
)

// show prints the median of values, and the target.
func show(what, unit string, values []float64, want string) {
	if want != "" {
		want = "   (want " + want + ")"
	}
	fmt.Printf("%-62s %9.2f %s   min %.2f, p90 %.2f, n %d%s\n", what, median(values), unit, slices.Min(values), percentile(values, 0.9), len(values), want)
}

// showRatio prints a / b, and the target.
func showRatio(what string, a, b float64, want string) {
	if want != "" {
		want = "   (want " + want + ")"
	}
	fmt.Printf("%-62s %9.3f   %s\n", "  "+what, a/b, want)
}

func median(v []float64) float64 { return percentile(v, 0.5) }

func percentile(v []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
