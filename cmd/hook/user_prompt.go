package hook

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/upstream"
)

// maxSuggestTools is the most tools that the hook searches, because a person waits for it.
const maxSuggestTools = 3000

// newHookUserPrompt makes the hook that names tools for a prompt. An error is logged at level debug only: a
// missing suggestion must not disturb the session.
func newHookUserPrompt(a *app.App) *cobra.Command {
	quiet := func(err error) {
		if err != nil {
			a.Logger(slog.LevelWarn).Debug("no suggestion", slog.String("error", err.Error()))
		}
	}
	var failed error
	return &cobra.Command{
		Use:                "user-prompt-submit",
		Short:              "Answer the hook user-prompt-submit",
		DisableFlagParsing: true,
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			failed = a.Prepare(c, args)
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if failed == nil {
				failed = userPromptSubmit(c.Context(), a)
			}
			quiet(failed)
			return nil
		},
	}
}

// userPromptSubmit names the tools that surely fit a prompt, each once in a session. It searches the last
// lists of the servers, because at the first prompt the gateway is still connecting.
func userPromptSubmit(ctx context.Context, a *app.App) error {
	e, err := hookEvent(ctx, a)
	if err != nil {
		return err
	}
	prompt, session := strings.TrimSpace(e.Prompt), cmp.Or(e.SessionID, discovery.Session(a.LookupEnv))
	if a.Printed != nil {
		a.Printed.Session = session
	}
	if prompt == "" || strings.HasPrefix(prompt, "/") || session == "" {
		return nil
	}
	a.Dir = projectFolder(a, e)
	a.Host.Config.WorkDir = a.Dir
	settings, err := config.LoadSuggestions(a.Host.Config)
	if err != nil || settings.Off {
		return err
	}
	loaded, err := silent(a).Load(false)
	if err != nil {
		return err
	}
	catalog, err := knownTools(a, loaded, func(upstream.Config) bool { return true })
	if err != nil || catalog.Len() == 0 || catalog.Len() > maxSuggestTools {
		return err
	}
	found, modelErr := suggested(ctx, settings.Model, NewIndex(catalog.OneAccount().Tools()), prompt)
	data, err := config.DataDir(a.Host.Config)
	if err != nil || len(found) == 0 {
		return errors.Join(modelErr, err)
	}
	found, err = SuggestionSessions(data+string(os.PathSeparator)+"sessions").New(session, found)
	if err != nil || len(found) == 0 {
		return errors.Join(modelErr, err)
	}
	return errors.Join(modelErr, Context(a.Stdout, "UserPromptSubmit", SuggestionText(found, naming.New(catalog).Call)))
}

// suggested searches with the queries of the model, or with the prompt if there is no model or the model
// fails. The error is the error of the model.
func suggested(ctx context.Context, m config.SuggestionModel, x *Index, prompt string) ([]Suggestion, error) {
	if m.URL == "" {
		return x.Find(prompt), nil
	}
	queries, err := Queries(ctx, m, prompt, modelTime)
	if err != nil {
		return x.Find(prompt), err
	}
	var all []Suggestion
	for _, query := range queries {
		all = append(all, x.Find(query)...)
	}
	return BestSuggestions(all), nil
}

// silent returns the host without its warnings, which session-start has shown.
func silent(a *app.App) *daemon.Host {
	return &daemon.Host{Config: a.Host.Config, Warn: func(string, ...any) {}}
}

// knownTools returns the last known tools of the trusted servers for which matters returns true, as their
// present configuration offers them. The catalog has the names of all servers.
func knownTools(a *app.App, loaded *config.Config, matters func(upstream.Config) bool) (toolscript.Catalog, error) {
	_, allow, err := loaded.Settings.Narrow(a.Getenv("TOOLSCRIPT_PROFILE"))
	if err != nil {
		return toolscript.Catalog{}, err
	}
	folder := server.ToolLists(silent(a).Cache("tools"))
	names := upstream.Names(loaded.Servers)
	var tools []toolscript.Tool
	for _, name := range names {
		c := loaded.Servers[name]
		if c.Disabled || c.Problem != nil || !matters(c) {
			continue
		}
		offered, _ := c.Offered(name, folder.Recall(name, c), nil)
		tools = append(tools, offered...)
	}
	return toolscript.NewCatalog(1, names, tools).Filter(allow), nil
}
