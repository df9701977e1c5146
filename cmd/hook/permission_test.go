package hook_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/hook"
)

// program allows search and exec in these tests.
func program(args []string) bool { return slices.Contains([]string{"search", "exec"}, args[0]) }

func TestAllowed(t *testing.T) {
	for _, command := range []string{
		"toolscript search 'list my repositories'",
		`toolscript search "list \"my\" repositories"`,
		"toolscript exec -e 'await tools.a.b({ text: `${1}` })'",
		"toolscript exec - <<'TS'\nconst a = `${1}`; $(rm -rf /)\nTS",
		"toolscript exec - <<\"TS\" 2>&1 | head -n 20\nreturn 1\nTS",
		"toolscript exec - <<-'TS'\n\treturn 1\n\tTS",
		"toolscript search x 2>/dev/null",
		"toolscript search x | head",
		"toolscript search x | head -5 | wc -l",
		"toolscript search x --json | jq -r '.results[].toolId'",
		"toolscript search x | tail -n +3",
		"echo 'return 1' | toolscript exec -",
		`printf '%s\n' "return 1" | toolscript exec - | jq .`,
		`printf '100%%: %b%s\n' a "return 1" | toolscript exec -`,
		"toolscript search a && toolscript exec 'return 1'; toolscript search b",
		"toolscript search a\ntoolscript search b",
		"toolscript search a # the first",
	} {
		if !hook.CommandAllowed(command, program) {
			t.Errorf("not allowed: %s", command)
		}
	}
}

func TestNotAllowed(t *testing.T) {
	for _, command := range []string{
		"", " ", "toolscript", "ls", "toolscript trust", "echo hello",
		"toolscript exec $SCRIPT", `toolscript exec "$SCRIPT"`, "toolscript exec ${A}", "toolscript search $'a'", `toolscript search $"a"`,
		"toolscript exec $(cat f)", "toolscript exec `cat f`", `toolscript exec "$(cat f)"`, "toolscript exec <(cat f)", "toolscript exec $((1))",
		"toolscript exec - <<TS\nreturn 1\nTS", "toolscript exec - <<T'S'\nreturn 1\nTS", "toolscript exec - <<< 'return 1'", "toolscript exec - < f",
		"toolscript search x > out", "toolscript search x >> out", "toolscript search x > /dev/null", "toolscript search x 2> err", "toolscript search x &> out",
		"toolscript search x 3>&1", "toolscript search x 2>&3", "toolscript search x >| out", "> out toolscript search x", "toolscript search x 2>/dev/nul*",
		"toolscript search *", "toolscript search a?", "toolscript search [a]", "toolscript search {a,b}", "toolscript search ~", "toolscript search a\\ b", "toolscript search =ls",
		`toolscript search "!x"`, "toolscript search x &", "! toolscript search x", "toolscript search x || ls", "toolscript search x |& head",
		"FOO=1 toolscript search x", "PATH=/tmp", "env toolscript search x", "./toolscript search x", "/bin/toolscript search x", "command toolscript search x",
		"cd / && toolscript search x", "toolscript search x; ls", "toolscript search x && rm f", "ls | toolscript exec -", "cat f | toolscript exec -",
		"toolscript search x | tee f", "toolscript search x | head f", "toolscript search x | head -n", "toolscript search x | head -n f", "toolscript search x | tail -f f",
		"toolscript search x | wc f", "toolscript search x | wc --files0-from=f", "toolscript search x | jq . f", "toolscript search x | jq -f f", "toolscript search x | jq",
		"toolscript search x | jq -n env", "toolscript search x | jq '$ENV.KEY'", "toolscript search x | jq --slurpfile a f .", "toolscript search x | jq 'import \"a\" as a; .'",
		"toolscript search x | jq '$ ENV.KEY'", "toolscript search x | jq '$\nENV.KEY'", "toolscript search x | jq '$__loc__ | ENV'",
		`printf '%d' 'psvar[$(touch f)]' | toolscript exec -`, `printf '%*s' 'psvar[$(touch f)]' x | toolscript check -`, `printf 'a%s%x' a 'psvar[$(touch f)]' | toolscript search x`,
		`printf '%.*s' 'psvar[$(touch f)]' x | toolscript check -`, `printf '%' | toolscript check -`, `printf '%%%d' 'psvar[$(touch f)]' | toolscript check -`, `printf '%1$d' 'psvar[$(touch f)]' | toolscript check -`,
		"toolscript search x | jq -rf f", "printf -v a x | toolscript exec -", "(toolscript search x)", "{ toolscript search x; }", "if toolscript search x; then toolscript search y; fi",
		"toolscript() { ls; }", "alias toolscript=ls", "time toolscript search x", "toolscript search 'x", "coproc toolscript search x", "toolscript search x | toolscript trust",
		"echo x | echo y | toolscript exec -", "toolscript search x\x00", "toolscript search x\r", "toolscript search x &!", "toolscript search " + strings.Repeat("x", 70<<10),
		"echo a >f | toolscript exec -", "head | toolscript exec -", "\"tool\"script search x; \\ls",
	} {
		if hook.CommandAllowed(command, program) {
			t.Errorf("allowed: %s", command)
		}
	}
}

// FuzzAllowed checks that CommandAllowed does not panic, and accepts no command with a
// character that a shell expands outside of quotes.
func FuzzAllowed(f *testing.F) {
	for _, command := range []string{"toolscript search 'a' | head -5", "toolscript exec - <<'TS'\n$(x)\nTS", "toolscript search $(x)", "echo `x` | toolscript exec -"} {
		f.Add(command)
	}
	f.Fuzz(func(t *testing.T, command string) {
		if hook.CommandAllowed(command, program) && !strings.ContainsAny(command, "'#") && strings.ContainsAny(command, "$`") {
			t.Errorf("allowed: %q", command)
		}
	})
}
