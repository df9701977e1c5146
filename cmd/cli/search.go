package cli

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
)

type searchOptions struct {
	*app
	searchFlags
	resultFlags
	query    string
	output   choiceFlag
	servers  []string
	readOnly bool
	model    string
	trust    bool
}

func newSearch(a *app) *cobra.Command {
	o := &searchOptions{app: a, output: choiceFlag{"table", []string{"table", "types", "json"}}}
	c := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find the tools that do something",
		Long: `Find the tools that do something, said in your own words.

--output types prints what a script needs to call what was found: its types, and
an example. Words may be misspelt, and need not be those of the tool.

A running gateway is asked when there is one for this configuration. Without one,
search starts the servers, and stops them afterwards.`,
		Example: `  toolscript search "read a file"
  toolscript search "open an issue" --server github --output types`,
		Args: takes("QUERY, what the tool should do"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.query = strings.TrimSpace(args[0]); o.query == "" {
				return &usageError{c.CommandPath(), errors.New("the query is empty: say what the tool should do")}
			}
			return o.run(c.Context())
		},
	}
	f := c.Flags()
	o.resultFlags.add(f, "", "l", "t")
	f.VarP(&o.output, "output", "o", "how they are printed")
	f.StringSliceVar(&o.servers, "server", nil, "only tools of these `servers`")
	f.BoolVar(&o.readOnly, "read-only", false, "only tools that change nothing, as their servers say")
	f.StringVarP(&o.model, "model", "m", "", "has no effect: the model is the gateway's")
	f.BoolVar(&o.trust, "trust", false, "let the project's configuration take effect this once")
	o.searchFlags.add(f)
	return c
}

func (o *searchOptions) run(ctx context.Context) error {
	if o.model != "" {
		o.warn("--model has no effect: the model belongs to the gateway")
	}
	answer, err := o.find(ctx)
	if err != nil {
		return err
	}
	o.remark(answer)
	switch {
	case o.output.value == "json":
		return writeJSON(o.Stdout, answer)
	case len(answer.Results) == 0:
		return o.nothing(answer)
	case o.output.value == "types":
		return o.types(answer)
	default:
		return o.table(answer)
	}
}

func (o *searchOptions) find(ctx context.Context) (toolscript.SearchAnswer, error) {
	q := toolscript.SearchQuery{
		Text: o.query, Limit: int(o.limit), Servers: o.servers, ReadOnly: o.readOnly, Types: o.output.value == "types",
	}
	if o.threshold.given {
		q.Threshold = &o.threshold.value
	}
	g, err := o.shared(ctx, o.trust)
	if err != nil {
		return toolscript.SearchAnswer{}, err
	}
	if g != nil {
		defer g.Close()
		return g.Search(ctx, q)
	}
	return o.findAlone(ctx, q)
}

// embedTime is how long a search without a gateway computes vectors. What it has
// got is kept for the next one.
const embedTime = 10 * time.Second

// findAlone starts the servers in this process.
func (o *searchOptions) findAlone(ctx context.Context, q toolscript.SearchQuery) (toolscript.SearchAnswer, error) {
	loaded, err := o.load(o.trust)
	if err != nil {
		return toolscript.SearchAnswer{}, err
	}
	o.searchFlags.over(&loaded.Settings.Search)
	own, err := o.startSystem(loaded, o.trust, o.logger(slog.LevelWarn), actors.Options{OnDemand: true})
	if err != nil {
		return toolscript.SearchAnswer{}, err
	}
	defer func() {
		if err := own.end(); err != nil {
			o.warn("%v", err)
		}
	}()
	connecting, cancel := context.WithTimeout(ctx, actors.DefaultConnectTimeout)
	defer cancel()
	own.Await(connecting, append(toolscript.Filter(nil), q.Servers...))
	embedding, enough := context.WithTimeout(ctx, embedTime)
	defer enough()
	own.AwaitSearch(embedding)
	return own.Search(ctx, q)
}
