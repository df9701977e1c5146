package hook_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/hook"
)

func TestCalls(t *testing.T) {
	for command, want := range map[string][][]string{
		"toolscript trust":                        {{"trust"}},
		"cd a && toolscript trust --yes":          {{"trust", "--yes"}},
		"FOO=1 ./bin/toolscript trust > out 2>&1": {{"trust"}},
		"env A=b toolscript trust":                {{"trust"}},
		"npx -y toolscript trust":                 {{"trust"}},
		"toolscript.exe trust":                    {{"trust"}},
		"toolscript.cmd trust -y; ls":             {{"trust", "-y"}},
		"(toolscript search x; toolscript trust)": {{"search", "x"}, {"trust"}},
		"echo $(toolscript trust -y)":             {{"trust", "-y"}},
		"if true; then toolscript trust; fi":      {{"trust"}},
		"sh -c 'cd a; toolscript trust'":          {{"trust"}},
		`bash -c "sh -c 'toolscript trust'"`:      {{"trust"}},
		"toolscript trust $DIR":                   {{"trust", ""}},
		"toolscript $COMMAND":                     {{""}},
		"yes | toolscript trust &":                {{"trust"}},
		"echo toolscript trust":                   {{"trust"}}, // harmless: one question too many
		"cat toolscript.md":                       nil,
		"ls":                                      nil,
		"toolscript trust 'x":                     nil, // not a valid shell command
	} {
		if diff := cmp.Diff(want, hook.CallsIn(command)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", command, diff)
		}
	}
}
