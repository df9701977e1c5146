package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUsedServers(t *testing.T) {
	for _, tt := range []struct {
		name, code string
		want       []string
		all        bool
	}{
		{name: "no tools", code: "return 1 + toolsmith + $tools"},
		{name: "after the import", code: "import { tools, stdin } from 'toolscript';\ntools.git.log()", want: []string{"git"}},
		{name: "over lines", code: "await tools\n  .github\n  .listIssues()", want: []string{"github"}},
		{name: "optional chaining", code: "tools?.a.b()", want: []string{"a"}},
		{name: "of a namespace import", code: "import * as t from 'toolscript'; t.tools.a.b()", all: true},
		{name: "renamed in the import", code: "import { tools as t } from 'toolscript'; t.a.b()", all: true},
		{name: "indexed", code: "tools['my-server'].x()", all: true},
		{name: "passed around", code: "const t = tools; t.a.b()", all: true},
		{name: "destructured", code: "const { git } = tools", all: true},
		{name: "printed", code: "console.log(Object.keys(tools))", all: true},
		{name: "spelt with an escape", code: `t\u006fols.a.b()`, all: true},
		{name: "in an ideographic language", code: "tools.日本.x()", want: []string{"日本"}},
		{name: "two servers", code: "tools.a.x(tools.b.y())", want: []string{"a", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, all := usedServers(tt.code)
			if all != tt.all {
				t.Errorf("usedServers(%q) all = %v, want %v", tt.code, all, tt.all)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("usedServers(%q) (-want +got):\n%s", tt.code, diff)
			}
		})
	}
}
