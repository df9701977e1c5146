package app

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
)

// completionTime bounds the search for the names of a completion: the user waits at the shell.
const completionTime = 300 * time.Millisecond

// Lookup returns the names that a completion offers. g is the running gateway, nil if
// there is none.
type Lookup func(ctx context.Context, g *Gateway) []string

// Offer returns the names that complete begun, or the last name of begun if it is a list with commas. If an
// error occurs, there are no names: a completion has no place for errors.
func (a *App) Offer(c *cobra.Command, begun string, from Lookup) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp
	a.Stderr = io.Discard
	if err := a.Prepare(c, nil); err != nil { // with the flags of the completed command
		return nil, directive
	}
	ctx, cancel := context.WithTimeout(c.Context(), completionTime)
	defer cancel()
	g, err := a.Target.Find(ctx)
	if err != nil {
		g = nil
	}
	if g != nil {
		defer g.Close()
		g.Client = g.WithProfile(a.Target.Profile)
	}
	before, last := "", begun
	if at := strings.LastIndexByte(begun, ','); at >= 0 && !strings.Contains(begun, "=") {
		before, last = begun[:at+1], begun[at+1:]
	}
	var found []string
	for _, name := range from(ctx, g) {
		if strings.HasPrefix(name, last) && !strings.ContainsFunc(name, meansMore) {
			found = append(found, before+name)
		}
	}
	return found, directive
}

// meansMore reports whether a character can be special to a shell. Names come from servers, and a shell
// writes their common beginning to the command line without quotes: it would run a program in $(…).
func meansMore(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" _-.,:=/@%+^'", r)
}

// ConfiguredNames returns the names of the servers of the configuration.
func (a *App) ConfiguredNames(ctx context.Context, _ *Gateway) []string {
	return a.ServerNames(ctx, nil)
}

// WholeNames returns the names of the servers of the configuration without their accounts.
func (a *App) WholeNames(ctx context.Context, _ *Gateway) (out []string) {
	for _, name := range a.ServerNames(ctx, nil) {
		out = append(out, toolscript.WithoutAccount(name))
	}
	return slices.Compact(out)
}

// RemovableNames returns the names of the servers of the configuration and those of their accounts.
func (a *App) RemovableNames(ctx context.Context, _ *Gateway) []string {
	out := append(a.WholeNames(ctx, nil), a.ServerNames(ctx, nil)...)
	slices.Sort(out)
	return slices.Compact(out)
}

// ServerNames returns the names of the servers of the gateway; without a gateway, of the configuration.
func (a *App) ServerNames(ctx context.Context, g *Gateway) []string {
	if g == nil {
		loaded, err := a.LoadNames()
		if err != nil {
			return nil
		}
		return slices.Sorted(maps.Keys(loaded.Servers))
	}
	servers, err := g.Servers(ctx, nil, 0)
	if err != nil {
		return nil
	}
	var out []string
	for _, s := range servers {
		out = append(out, s.Name)
	}
	return out
}

// ToolNames returns the names of the servers and, if a gateway runs, the ids of their tools.
func (a *App) ToolNames(ctx context.Context, g *Gateway) []string {
	out := a.ServerNames(ctx, g)
	if g == nil {
		return out
	}
	answer, err := g.Tools(ctx, nil, 0)
	if err != nil {
		return out
	}
	for _, t := range answer.Tools {
		out = append(out, t.QualifiedName)
	}
	return out
}
