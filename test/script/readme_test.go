package script_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	usage   = regexp.MustCompile("(?s)\n## Use\n.*?```sh\n(.*?)```")
	intro   = regexp.MustCompile("(?s)```ts\n(.*?)```")
	comment = regexp.MustCompile(`\s+#.*`)
)

// TestReadme checks that readme.txtar runs every example of the README.
func TestReadme(t *testing.T) {
	readme := read(t, "../../README.md")
	script := read(t, "testdata/readme.txtar")
	blocks := intro.FindAllStringSubmatch(readme, -1)
	commands := usage.FindStringSubmatch(readme)
	if len(blocks) == 0 || commands == nil {
		t.Fatal("no ts block, or no sh block under Use")
	}
	for _, block := range blocks {
		if !strings.Contains(script, block[1]) {
			t.Errorf("readme.txtar lacks\n%s", block[1])
		}
	}
	for line := range strings.Lines(commands[1]) {
		line = comment.ReplaceAllString(strings.TrimSpace(line), "")
		if _, after, piped := strings.Cut(line, " | "); piped {
			line = after // stdin is a file there
		}
		want := "\nexec " + line + "\n"
		if line == "toolscript gateway start" {
			want = "\ngateway\n" // the command does not end
		}
		if !strings.Contains(script, want) {
			t.Errorf("readme.txtar lacks %q", want)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
