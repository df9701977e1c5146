package script_test

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
)

// repeat is the program "repeat N TEXT". It prints the text N times, to create files that are too large
// for a script.
func repeat(args []string) int {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "repeat:", err)
		return 2
	}
	out := bufio.NewWriter(os.Stdout)
	for range n {
		_, _ = out.WriteString(args[1]) // Flush returns the error
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "repeat:", err)
		return 1
	}
	return 0
}
