package doctor

import (
	"fmt"
	"slices"

	"github.com/toolscript/toolscript"
)

// pins reports the changes of a server since it was pinned, and its suspicious texts. It
// reports each finding once, even if several gateways have it.
func (x *examination) pins(s toolscript.ServerStatus) {
	fix := toolscript.Command("pins", "diff", s.Name)
	for _, problem := range []struct {
		n    int
		what string
	}{
		{len(s.Pins), "%d changes since it was pinned"},
		{len(s.Suspicions), "%d texts look like an attack on a model, or have hidden characters"},
	} {
		f := Finding{Warning, "server " + s.Name, fmt.Sprintf(problem.what, problem.n), fix}
		if problem.n > 0 && !slices.Contains(x.Findings, f) {
			x.Findings = append(x.Findings, f)
		}
	}
}
