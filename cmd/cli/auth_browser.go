package cli

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"time"

	"github.com/toolscript/toolscript/transport/oauth"
)

// browserTime is how long a browser's starter has to fail. Some end at once, and
// some with the browser.
const browserTime = 3 * time.Second

// openers are the programs that open an address, by operating system.
var openers = map[string][]string{
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// openBrowser opens an address that somebody else has chosen. It is one argument
// of a program and never a word of a shell's, and nothing but https, or http to
// this machine.
func openBrowser(ctx context.Context, address string, env []string) error {
	if err := oauth.CheckURL(address); err != nil {
		return err
	}
	opener, known := openers[runtime.GOOS]
	if !known {
		opener = []string{"xdg-open"}
	}
	path, err := exec.LookPath(opener[0])
	if err != nil {
		return err
	}
	// The browser outlives this command.
	c := exec.CommandContext(context.WithoutCancel(ctx), path, append(opener[1:], address)...) //nolint:gosec // checked above
	c.Env = env
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return errors.New("the program that opens browsers failed")
		}
		return nil
	case <-time.After(browserTime):
		return nil
	case <-ctx.Done():
		return nil
	}
}
