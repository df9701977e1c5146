package clients

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// dollarMember returns a member of env that passes a variable on in the form ${NAME}.
func dollarMember(name string) string { return fmt.Sprintf(`%q: "${%s}"`, name, name) }

// bracedMember returns a member of env that passes a variable on in the form {env:NAME}.
func bracedMember(name string) string { return fmt.Sprintf(`%q: "{env:%s}"`, name, name) }

// editorMember returns a member of env that passes a variable on in the form ${env:NAME}.
func editorMember(name string) string { return fmt.Sprintf(`%q: "${env:%s}"`, name, name) }

// Pass tells a user how to make a client pass variables on to toolscript. c is nil if the
// client is unknown.
func (c *Client) Pass(names []string) string {
	list := strings.Join(names, ", ")
	switch {
	case c == nil:
		return fmt.Sprintf(`the client that started toolscript does not pass %s on: add it to "env" of toolscript in the client's configuration`, list)
	case c.inherit != "":
		return fmt.Sprintf("%s passes only the variables in %s of toolscript on: set %s in the shell that starts %[1]s, and run: %[4]s", c.Title, c.inherit, list, toolscript.Command("connect", c.Name))
	case c.set != nil:
		members := make([]string, len(names))
		for i, name := range names {
			members[i] = c.set(name)
		}
		return fmt.Sprintf(`%s, which started toolscript, does not pass %s on: set it in the shell that starts %[1]s, or add "%[4]s": {%[3]s} to toolscript in its configuration`, c.Title, list, strings.Join(members, ", "), cmp.Or(c.variables, "env"))
	default:
		return fmt.Sprintf("%s, which started toolscript, has no %s", c.Title, list)
	}
}

// PassNote tells a user about the variables that toolscript needs from a client. It returns
// "" if it needs none.
func (c *Client) PassNote(needed []string) string {
	names := slices.DeleteFunc(slices.Clone(needed), func(name string) bool { return slices.Contains(alwaysPassed, name) })
	if len(names) == 0 {
		return ""
	}
	list := strings.Join(names, ", ")
	if c.inherit != "" {
		return fmt.Sprintf("%s passes %s on to toolscript if it has them (%s)", c.Title, list, c.inherit)
	}
	return fmt.Sprintf("your servers use %s: %s must have them when it starts toolscript", list, c.Title)
}
