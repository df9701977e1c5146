package confined

import "os"

// init runs the helper. All packages of this program take longer to initialize than the helper
// takes to confine itself; this package is initialized before most of them. See docs/design/confinement.md.
func init() {
	if len(os.Args) == 3 && os.Args[1] == Command {
		os.Exit(Main(os.Args[2:]))
	}
}
