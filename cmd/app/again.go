package app

import (
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript"
)

// choosing are the flags that choose the configuration, the data folder and the gateway.
var choosing = []string{"config", "data-dir", "gateway-url"}

// suggestions adds flags of this command line to the toolscript commands in messages.
type suggestions struct {
	of       *cobra.Command // this command; nil before it is known
	commands []string       // the names of all commands
	typed    []*pflag.Flag  // flags of choosing that are on the command line
}

func suggestionsOf(c *cobra.Command, commands []string) suggestions {
	s := suggestions{of: c, commands: commands}
	for _, name := range choosing {
		if f := c.Flags().Lookup(name); f != nil && Typed(f) {
			s.typed = append(s.typed, f)
		}
	}
	return s
}

// Again adds the flags of choosing that are on this command line to each toolscript command in a text.
// Messages also come from gateways, which do not know these flags.
func (a *App) Again(text string) string {
	if len(a.suggestions.typed) == 0 {
		return text
	}
	return a.suggestions.each(text, a.suggestions.flags)
}

// ToAgent adapts a text for an agent without a shell. In place of a toolscript command, the text names the
// tool of toolscript mcp that does the same, or it says that the user must run the command.
func (a *App) ToAgent(text string) string {
	for command, tool := range ownTools {
		text = strings.ReplaceAll(text, toolscript.Command(command)+" ", tool+" ")
	}
	told := a.suggestions.each(text, func(string) string { return askUser })
	if told == text {
		return text
	}
	for _, lead := range []string{"run: ", "see: "} {
		told = strings.ReplaceAll(told, lead+"toolscript"+askUser, "ask the user to run: toolscript")
	}
	more := strings.Contains(told, "toolscript"+askUser)
	if told = a.Again(strings.ReplaceAll(told, askUser, "")); more {
		told += " (ask the user to run this command)"
	}
	return told
}

// ownTools has the tool of toolscript mcp that does the same as a command.
var ownTools = map[string]string{"get-types": "describe_tools", "list-tools": "describe_tools", "search": "search_tools"}

// askUser marks a command that the user must run.
const askUser = "\x00"

// each inserts the result of insert into each toolscript command of a text, after the name of the program.
func (s suggestions) each(text string, insert func(command string) string) string {
	const program = "toolscript"
	var b strings.Builder
	for {
		at := strings.Index(text, program+" ")
		if at < 0 {
			return b.String() + text
		}
		begin := at == 0 || strings.ContainsRune(" \n(>", rune(text[at-1]))
		b.WriteString(text[:at+len(program)])
		text = text[at+len(program):]
		command, _, _ := strings.Cut(text, "\n")
		command, _, _ = strings.Cut(command, program)
		name, _, _ := strings.Cut(strings.TrimSpace(command), " ")
		if begin && slices.Contains(s.commands, strings.TrimRight(name, ".,:;)")) {
			b.WriteString(insert(command))
		}
	}
}

// flags returns the flags of typed, with their values, that a command does not have itself.
func (s suggestions) flags(command string) string {
	command, _, _ = strings.Cut(command, " -- ")
	var words []string
	for _, f := range s.typed {
		if strings.Contains(command, " --"+f.Name) || f.Shorthand != "" && strings.Contains(command, " -"+f.Shorthand) {
			continue
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand
		}
		value := f.Value.String()
		if f.Name == "gateway-url" {
			value = withoutCapability(value)
		}
		words = append(words, name, value)
	}
	return strings.TrimPrefix(toolscript.Command(words...), "toolscript")
}

// withoutCapability returns the address of a gateway without the secret in its path. Commands find the secret
// if the gateway belongs to this user on this host.
func withoutCapability(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}

// With returns this command line with more flags. They follow the name of the command, before arguments that
// may belong to another program.
func (a *App) With(more ...string) string {
	c, rest := a.suggestions.of, a.Args
	for _, name := range strings.Fields(c.CommandPath())[1:] {
		for len(rest) > 0 && rest[0] != name && !slices.Contains(c.Aliases, rest[0]) {
			word := rest[0]
			rest = rest[1:]
			if takesValue(c.Root().PersistentFlags(), word) && len(rest) > 0 {
				rest = rest[1:]
			}
		}
		if len(rest) > 0 {
			rest = rest[1:]
		}
	}
	return toolscript.Command(slices.Concat(a.Args[:len(a.Args)-len(rest)], more, rest)...)
}

// takesValue reports whether word is a flag whose value is the next word.
func takesValue(all *pflag.FlagSet, word string) bool {
	var f *pflag.Flag
	if name, long := strings.CutPrefix(word, "--"); long {
		f = all.Lookup(name)
	} else if name, short := strings.CutPrefix(word, "-"); short && len(name) == 1 {
		f = all.ShorthandLookup(name)
	}
	return f != nil && f.NoOptDefVal == ""
}

// Completed applies again to the messages of an event of a run. What a script prints stays as it is.
func (a *App) Completed(e toolscript.Event) toolscript.Event {
	if len(a.suggestions.typed) == 0 {
		return e
	}
	e.Message = a.Again(e.Message)
	if e.Diagnostic != nil {
		d := *e.Diagnostic
		d.Message, e.Diagnostic = a.Again(d.Message), &d
	}
	if e.End != nil {
		end := *e.End
		end.Notices = slices.Clone(end.Notices)
		for i, notice := range end.Notices {
			end.Notices[i] = a.Again(notice)
		}
		if end.Error != nil {
			failed := *end.Error
			failed.Message, end.Error = a.Again(failed.Message), &failed
		}
		e.End = &end
	}
	return e
}
