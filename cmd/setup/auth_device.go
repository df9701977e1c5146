package setup

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/toolscript/toolscript/cmd/confirm"
	"github.com/toolscript/toolscript/transport/oauth"
)

// byDevice logs in with a code that the user enters on another device.
func (o *authOptions) byDevice(ctx context.Context, session *oauth.Session) error {
	var attempt *oauth.DeviceAttempt
	err := o.confirmed(ctx, session, func() (err error) {
		attempt, err = session.BeginDevice(ctx)
		return err
	})
	if err != nil {
		return o.unusable(err)
	}
	if err := o.showCode(attempt.Code()); err != nil {
		return err
	}
	if err := attempt.Wait(ctx); err != nil {
		return err
	}
	return o.loggedIn(ctx, session)
}

// showCode tells the user where to enter a code.
func (o *authOptions) showCode(code oauth.DeviceCode) error {
	text := "On any device, open: %s\nEnter the code: %s"
	if code.WholeURL != "" {
		text += "\nOr open, with the code: " + code.WholeURL
	}
	if err := o.progress(text, code.URL, code.UserCode); err != nil {
		return err
	}
	return o.progress("Waiting for you to enter the code, until %s", code.Ends.Format(time.TimeOnly))
}

// offerDevice begins a login with a code, for a user whose browser could not be opened. The channel receives the end
// of that login. It is nil if the authorization server has no such login.
func (o *authOptions) offerDevice(ctx context.Context, session *oauth.Session) <-chan error {
	attempt, err := session.BeginDevice(ctx)
	if err != nil || o.showCode(attempt.Code()) != nil {
		return nil // the user can still open the page of the authorization server
	}
	ended := make(chan error, 1)
	go func() { ended <- attempt.Wait(ctx) }()
	return ended
}

// errDeviceLogin says that the user has logged in on another device.
var errDeviceLogin = errors.New("logged in on another device")

// returned waits for the end of a login: the redirect of the browser, a pasted line with its address, or the
// login on another device, whose end is errDeviceLogin.
func (o *authOptions) returned(ctx context.Context, attempt *oauth.Attempt, waiting *confirm.LoginCallback, device <-chan error) (url.Values, error) {
	pasted := confirm.PastedLogin(ctx, o.Stdin, attempt, o.Say)
	for {
		select {
		case back := <-waiting.Back():
			return back.Of(ctx, attempt)
		case back := <-pasted:
			return back.Of(ctx, attempt)
		case err := <-device:
			var denied *oauth.DeniedError
			switch {
			case err == nil:
				return nil, errDeviceLogin
			case errors.As(err, &denied):
				return nil, err
			}
			o.Say("toolscript: the login with the code has failed: %v", err)
			device = nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
