package proc

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// managers are the programs that install a package before they run it. A program with words is a
// package manager only if one of the words is among its arguments.
var managers = map[string][]string{
	"npx": nil, "npm": nil, "pnpx": nil, "pnpm": nil, "yarn": nil, "corepack": nil,
	"bunx": nil, "bun": {"x", "add", "install"},
	"uvx": nil, "uv": nil, "pipx": {"run"},
	"go": {"run"}, "cargo": {"run"},
}

// becomes has the package managers that replace their own process by the program.
var becomes = map[string]bool{"pipx": true, "cargo": true}

// runners are programs whose first argument is the program that counts.
var runners = []string{"env", "node", "nodejs", "sh", "bash", "dash", "zsh"}

// Manages reports whether a command line runs a package manager that installs a program and then
// runs it. docker is not one: a daemon downloads the images, and docker reports that on standard
// error.
func Manages(argv []string) bool { return Manager(argv) != nil }

// Manager returns the words of a command line that identify the package manager; nil if there is
// none. The words contain no argument that the user has chosen.
func Manager(argv []string) []string {
	name, rest := program(argv)
	words, known := managers[name]
	switch i := slices.IndexFunc(rest, func(w string) bool { return slices.Contains(words, w) }); {
	case !known:
		return nil
	case len(words) == 0:
		return []string{name}
	case i >= 0:
		return []string{name, rest[i]}
	}
	return nil
}

// runtimes are the container runtimes that download an image before they run it.
var runtimes = []string{"docker", "podman", "nerdctl"}

// Runtime returns the words of a command line that identify a container runtime; nil if the command line
// starts no container.
func Runtime(argv []string) []string {
	if name, rest := program(argv); slices.Contains(runtimes, name) && slices.Contains(rest, "run") {
		return []string{name, "run"}
	}
	return nil
}

// program returns the name of the program of a command line, and its arguments. A program that has set a
// title has a command line that consists of the title only.
func program(argv []string) (name string, rest []string) {
	words := strings.Fields(strings.Join(argv, " "))
	for i, word := range words {
		name = plain(word)
		switch {
		case i > 0 && strings.HasPrefix(word, "-"):
			if word == "-c" || word == "-e" { // the next word is code
				return "", nil
			}
		case i > 0 && strings.Contains(word, "="): // a variable for env
		case slices.Contains(runners, name), python().MatchString(name):
		default:
			return name, words[i+1:]
		}
	}
	return name, nil
}

// plain returns the name of a program without its folder and its file extension.
func plain(file string) string {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	for _, ending := range []string{".js", ".cjs", ".mjs", ".exe", ".cmd", ".py"} {
		name = strings.TrimSuffix(name, ending)
	}
	return strings.TrimSuffix(name, "-cli") // npm's own files: npx-cli.js
}

var python = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^python[0-9.]*$`) })

// beginsPull reports whether a container runtime begins to download an image.
func beginsPull(line string) bool {
	return strings.HasPrefix(line, "Unable to find image ") || strings.HasPrefix(line, "Trying to pull ") || strings.Contains(line, ": Pulling from ")
}

// endsPull reports whether a container runtime has downloaded an image.
func endsPull(line string) bool {
	return strings.HasPrefix(line, "Status: Downloaded newer image") || strings.HasPrefix(line, "Status: Image is up to date") ||
		strings.HasPrefix(line, "Writing manifest to image destination")
}
