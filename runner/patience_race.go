//go:build race

package runner

import "time"

// SourceTime is three times what it is otherwise: the race detector makes
// compilers five to ten times slower, and tests run beside one another.
const SourceTime = 3 * 1800 * time.Millisecond
