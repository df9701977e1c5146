package hook

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// producer reports whether the words are an echo or a printf that only prints.
func producer(words []string) bool {
	switch words[0] {
	case "echo":
		return true
	case "printf": // printf -v sets a variable
		return len(words) > 1 && textFormat().MatchString(words[1])
	}
	return false
}

// textFormat matches the formats of printf that have only texts. Zsh evaluates the argument of a number, which may contain a
// command.
var textFormat = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([^-%]|%[%sb])([^%]|%[%sb])*$`) })

// count matches the options of head and tail that take a number.
var count = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(-[0-9]{1,9}|-[nc] ?[-+]?[0-9]{1,9}[kKMG]?|--(lines|bytes)=[-+]?[0-9]{1,9}[kKMG]?)$`)
})

// filter reports whether the words are a filter that reads only its standard input.
func filter(words []string) bool {
	args := words[1:]
	switch words[0] {
	case "head", "tail":
		return counts(args)
	case "wc":
		return !slices.ContainsFunc(args, func(a string) bool {
			return !slices.Contains([]string{"-l", "-w", "-c", "-m", "-L", "--lines", "--words", "--bytes", "--chars"}, a)
		})
	case "jq":
		return query(args)
	}
	return false
}

// counts reports whether all arguments are options with numbers. A number may be a word of its own.
func counts(args []string) bool {
	for len(args) > 0 {
		option, used := args[0], 1
		if (option == "-n" || option == "-c") && len(args) > 1 {
			option, used = option+" "+args[1], 2
		}
		if !count().MatchString(option) {
			return false
		}
		args = args[used:]
	}
	return true
}

var (
	// jqOptions matches the options of jq that only change the form of its output.
	jqOptions = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(-[rcesSjaMC]+|--(raw-output|compact-output|exit-status|slurp|sort-keys|join-output|ascii-output|monochrome-output|color-output|tab))$`)
	})
	// jqOutside matches names with which a query reads files or the environment.
	jqOutside = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(ENV|env|import|include|input_filename|get_search_list|modulemeta)\b`)
	})
)

// query reports whether the arguments of jq are one query without files.
func query(args []string) bool {
	queries := 0
	for _, arg := range args {
		switch {
		case jqOptions().MatchString(arg):
		case strings.HasPrefix(arg, "-"), jqOutside().MatchString(arg):
			return false
		default:
			queries++
		}
	}
	return queries == 1
}
