package setup

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// expectIssuer puts --issuer into the configuration. A different issuer in the
// configuration is an error.
func (o *authOptions) expectIssuer(config *upstream.Config) error {
	switch {
	case o.issuer == "":
		return nil
	case config.OAuth.Issuer != "" && config.OAuth.Issuer != o.issuer:
		return fmt.Errorf("--issuer is %s, and oauth.issuer of server %s is %s", o.issuer, o.server, config.OAuth.Issuer)
	}
	config.OAuth.Issuer = o.issuer
	return nil
}

// pinIssuer stores the issuer that --issuer has confirmed.
func (o *authOptions) pinIssuer(ctx context.Context, session *oauth.Session) error {
	if o.issuer == "" {
		return nil
	}
	return session.Confirm(ctx, o.issuer)
}

// confirmable returns the issuer that the user must confirm before the request can be sent; "" for any other
// error.
func confirmable(err error) string {
	if needed, is := errors.AsType[*oauth.LoginError](err); is {
		return needed.Issuer
	}
	return ""
}

// confirmed runs a step of the login. If the step needs the confirmation of an issuer,
// the user is asked and the step runs again.
func (o *authOptions) confirmed(ctx context.Context, session *oauth.Session, run func() error) error {
	err := run()
	issuer := confirmable(err)
	if issuer == "" {
		return err
	}
	if err := o.askIssuer(ctx, issuer); err != nil {
		return err
	}
	if err := session.Confirm(ctx, issuer); err != nil {
		return err
	}
	return run()
}

// askIssuer asks the user whether an authorization server may get the secret of the
// client.
func (o *authOptions) askIssuer(ctx context.Context, issuer string) error {
	if !terminal.Is(o.Stdin) {
		return fmt.Errorf("server %s names the authorization server %s, which gets the secret of the client only after you have confirmed it:  "+
			"run this command at a terminal, or: %s; or set oauth.issuer", o.server, issuer, toolscript.Command("auth", o.server, "--issuer", issuer))
	}
	o.Say("Server %s names the authorization server %s.", o.server, issuer)
	agreed, err := o.Agrees(ctx, "May it have the secret of this client?")
	if err == nil && !agreed {
		err = fmt.Errorf("the authorization server %s is not confirmed, so nothing was sent to it", issuer)
	}
	return err
}
