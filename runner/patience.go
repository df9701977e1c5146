//go:build !race

package runner

import "time"

// SourceTime is how long may be looked at one script before it runs, compiling
// and checking its types together. With the end of what is too slow, an answer
// comes within two seconds.
const SourceTime = 1800 * time.Millisecond
