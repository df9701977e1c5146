package script

import (
	"fmt"
	"strings"

	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript/runner"
)

// called returns the function of a script that consists of only one function, if it can be called
// without arguments; otherwise nil. Models write such scripts because other programs that run
// their code expect a function.
func (u unit) called(s shim.Syntax) *shim.Function {
	if u.module || s.Function == nil || s.Function.Parameters || s.Function.Generator {
		return nil
	}
	return s.Function
}

// advise adds notices about code that does nothing.
func (u unit) advise(s shim.Syntax, c *runner.Compiled) {
	exports := false
	for _, m := range s.Misplaced {
		exports = exports || m.Export
	}
	switch f := s.Function; {
	case u.module:
	case c.Calls:
		c.Notices = append(c.Notices, "the script is one function, which was called: write its statements at the top level, and return the value")
	case f != nil && !f.Exported:
		kind := "function with parameters"
		if f.Generator {
			kind = "generator function"
		}
		c.Notices = append(c.Notices, "the script is one "+kind+", which nothing calls: write its statements at the top level, and return the value")
	default:
		for _, name := range s.Uncalled {
			c.Notices = append(c.Notices, fmt.Sprintf("nothing calls the function %s: add return await %[1]s() at the end", name))
		}
		if s.Unused == nil || s.Returns || exports || len(s.Uncalled) > 0 {
			return
		}
		line := strings.Count(u.code[:s.Unused.Offset], "\n") + 1
		text := fmt.Sprintf("the value of the last expression, at %s:%d, is not returned: write return before it", u.file, line)
		switch {
		case s.Unused.Function:
			c.Notices = append(c.Notices, fmt.Sprintf("nothing calls the function at %s:%d: write its statements at the top level, and return the value", u.file, line))
		case s.Unused.Acts:
			c.Unreturned = text
		default:
			c.Notices = append(c.Notices, text)
		}
	}
}
