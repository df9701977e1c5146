package confirm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

// Link shows links to the operator page: it opens the browser of the desktop that the
// environment names, or writes the link to the terminal of the process that has asked for
// it. The process itself does not get the link.
func Link(env []string, lookupEnv func(string) (string, bool)) api.ShowLink {
	return func(ctx context.Context, link string, by api.LinkRequest) (string, error) {
		if !by.Print && desktop(lookupEnv) && OpenBrowser(ctx, link, env) == nil {
			return api.ShownBrowser, nil
		}
		write, err := person(by.PID)
		if err != nil {
			return "", noPlace(by, err)
		}
		write(func(w io.Writer) {
			_, _ = fmt.Fprintf(w, "%s\n", linkText(link)) // a link that is not seen is not opened
		})
		return api.ShownTerminal, nil
	}
}

func linkText(link string) string {
	return fmt.Sprintf("Open this link in a browser of this machine. It works once, within %s:\n  %s", api.LinkTime, link)
}

// noPlace returns the error for a link that no person would see.
func noPlace(by api.LinkRequest, err error) error {
	reason := "the gateway could not open a browser, and "
	if by.Print {
		reason = ""
	}
	if own, is := errors.AsType[*toolscript.Error](err); is {
		err = own.Err
	}
	return &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf("%s%w; run toolscript dashboard at a terminal", reason, err)}
}

// desktop reports whether there is a screen for a browser.
func desktop(lookupEnv func(string) (string, bool)) bool {
	return runtime.GOOS != "linux" || slices.ContainsFunc([]string{"WAYLAND_DISPLAY", "DISPLAY"}, func(name string) bool {
		value, _ := lookupEnv(name)
		return value != ""
	})
}
