package clients

import (
	"cmp"
	"net"
	"net/url"
	"path"
	"slices"
	"strings"
)

// ServerName derives the name of a server from its command or its address.
func ServerName(command []string, address string) string {
	text := ""
	if u, err := url.Parse(address); address != "" && err == nil && net.ParseIP(u.Hostname()) == nil {
		parts := strings.Split(u.Hostname(), ".")
		text = parts[max(len(parts)-2, 0)]
	}
	for i, word := range command {
		base := strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
		if i > 0 && (strings.HasPrefix(word, "-") || containers[command[0]] && slices.Contains(valued, command[i-1])) {
			continue
		}
		if text == "" || runners[text] {
			text = base
		}
	}
	text, _, _ = strings.Cut(text, "@")
	if len(command) > 0 && containers[command[0]] {
		text, _, _ = strings.Cut(text, ":") // the tag of an image
	}
	for _, affix := range []string{"npm:", "jsr:", "mcp-server-", "server-", "mcp-"} {
		text = strings.TrimPrefix(text, affix)
	}
	for _, affix := range []string{"-mcp-server", "-mcp", "-server", ".js", ".py", ".ts"} {
		text = strings.TrimSuffix(text, affix)
	}
	return cmp.Or(text, "server")
}

// runners are programs that run another program, whose name says more.
var runners = map[string]bool{"npx": true, "uvx": true, "uv": true, "run": true, "node": true, "python": true, "python3": true, "deno": true, "bunx": true, "docker": true, "podman": true, "sh": true}

// containers are programs that run images, and valued their options whose value is the next word.
var (
	containers = map[string]bool{"docker": true, "podman": true}
	valued     = []string{"-e", "--env", "--env-file", "-v", "--volume", "--mount", "-p", "--publish", "--name", "--network", "--net", "-u", "--user", "-w", "--workdir", "--entrypoint", "--platform"}
)

// Words splits a command line at blanks outside of quotes.
func Words(line string) []string {
	var out []string
	var word strings.Builder
	quote, begun := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if begun {
				out = append(out, word.String())
				word.Reset()
			}
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		out = append(out, word.String())
	}
	return out
}
