package confined

import "os"

// init runs the helper. It does not wait for main: initializing all packages of this program takes longer
// than the work of the helper, and this package is initialized early. See docs/design/confinement.md.
func init() {
	if len(os.Args) == 3 && os.Args[1] == Command {
		os.Exit(Main(os.Args[2:]))
	}
}
