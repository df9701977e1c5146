package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// documented reports variables that the documentation of a server's package names and that
// the server does not get: required ones, and optional ones that are set here.
func (x *examination) documented(name string, c upstream.Config) {
	d, known := config.DocumentedOf(c)
	if !known {
		return
	}
	gets := func(variable string) bool {
		prefix := variable + "="
		given := slices.Concat(mcpclient.Environment(x.Env, c), c.Args) // docker gets variables as arguments such as -e NAME=value
		return slices.ContainsFunc(given, func(entry string) bool { return strings.HasPrefix(entry, prefix) })
	}
	isSet := func(variable string) bool {
		return slices.ContainsFunc(x.Env, func(entry string) bool { return strings.HasPrefix(entry, variable+"=") && len(entry) > len(variable)+1 })
	}
	subject, fields := "server "+name, " of "+name+" in "+c.Source
	for _, choices := range d.Required {
		if slices.ContainsFunc(choices, gets) {
			continue
		}
		fix := fmt.Sprintf(`write "env": {%q: "${%[1]s}"}%s, or keep the value in toolscript: %[3]s`, choices[0], fields, toolscript.Command("secret", "set", choices[0], "--for", name))
		if at := slices.IndexFunc(choices, isSet); at >= 0 {
			fix = fmt.Sprintf(`write "inheritEnv": [%q]%s`, choices[at], fields)
		}
		x.warn(subject, fix, "%s needs %s, as its documentation says, and does not get it", d.Package, strings.Join(choices, " or "))
	}
	for _, variable := range d.Optional {
		if isSet(variable) && !gets(variable) {
			x.warn(subject, fmt.Sprintf(`write "inheritEnv": [%q]%s`, variable, fields), "%s uses %s, as its documentation says; it is set here, and the server does not get it", d.Package, variable)
		}
	}
}
