package setup

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
)

// addAccount adds the flag --account, which completes the accounts of the server in the arguments.
func addAccount(c *cobra.Command, a *app.App, account *string) {
	c.Flags().StringVar(account, "account", "", "the account, for a server with several `accounts`")
	_ = c.RegisterFlagCompletionFunc("account", func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, name := range a.ConfiguredNames(c.Context(), nil) {
			if server, account := toolscript.CutAccount(name); account != "" && (len(args) == 0 || args[0] == server) {
				names = append(names, account)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}) // the flag exists
}

// accountOf returns the configured name for a server and an account, which may be "". If account is "", accounts are
// the accounts that the server has. The error names the accounts if account is not one of them.
func accountOf(a *app.App, server, account string, trust bool) (name string, accounts []string, err error) {
	loaded, err := a.Host.Load(trust)
	if err != nil {
		return "", nil, err
	}
	for other, c := range loaded.Servers {
		if plain, _ := toolscript.CutAccount(other); plain == server && len(c.Accounts) > 0 {
			accounts = c.Accounts
		}
	}
	switch {
	case account == "":
		return server, accounts, nil
	case len(accounts) == 0:
		return "", nil, fmt.Errorf("server %s has no accounts; run: %s", server, toolscript.Command("auth", server))
	case !slices.Contains(accounts, account):
		return "", nil, unknownAccount(server, account, accounts)
	}
	return server + toolscript.AccountSeparator + account, nil, nil
}

func unknownAccount(server, account string, accounts []string) error {
	return fmt.Errorf("server %s has no account %q; its accounts are: %s", server, account, strings.Join(accounts, ", "))
}

// severalAccounts is the error of a command that needs one account.
func severalAccounts(server string, accounts []string, why string) error {
	return fmt.Errorf("server %s has the accounts %s%s; name one with --account", server, strings.Join(accounts, ", "), why)
}

// chooseAccount replaces a server with accounts by one account: the account of --account, else the only account that
// needs a login.
func (o *authOptions) chooseAccount(ctx context.Context) error {
	name, accounts, err := accountOf(o.App, o.server, o.account, o.trust)
	switch {
	case err != nil || len(accounts) == 0:
		o.server = name
		return err
	case len(accounts) == 1:
		o.server += toolscript.AccountSeparator + accounts[0]
		return nil
	}
	loaded, err := o.Host.Load(o.trust)
	if err != nil {
		return err
	}
	logins := o.Host.Logins(o.Logger(slog.LevelWarn))
	var needed []string
	for _, account := range accounts {
		name := o.server + toolscript.AccountSeparator + account
		if state := o.stateOf(ctx, logins, name, loaded.Servers[name]); state.Status == notLoggedIn || state.Status == loginFailed {
			needed = append(needed, account)
		}
	}
	switch len(needed) {
	case 0:
		return severalAccounts(o.server, accounts, ", and none is known to need a login")
	case 1:
		o.server += toolscript.AccountSeparator + needed[0]
		return nil
	default:
		return severalAccounts(o.server, accounts, ", and these need a login: "+strings.Join(needed, ", "))
	}
}
