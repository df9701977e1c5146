package confined

import "os"

// init is the helper. The packages of this program take longer to initialize than a server
// to be confined; this one is initialized before most of them. See RATIONALE.md.
func init() {
	if len(os.Args) == 3 && os.Args[1] == Command {
		os.Exit(Main(os.Args[2:]))
	}
}
