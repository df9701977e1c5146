package upstream

import (
	"fmt"
	"slices"
)

// Kind is a kind of server: its part of the configuration and of the documentation, what the rest of
// the program must know of its servers, and how a gateway connects to them. Each kind is a value in a
// folder of its own; the list of kinds is package kinds.
type Kind struct {
	Type  string   // value of Config.Type
	Words []string // other words for the type in a configuration
	About string   // says what the servers are, after the type; "" if the type says it
	Page  string   // page of the documentation, in the folder docs

	// Keys are the keys of a server in a configuration that have an effect on this kind, besides
	// those that have an effect on every kind. Without Keys, no configuration has the type.
	Keys []string

	Schema   string // JSON object: the keys that the kind adds to those of other kinds, with their JSON Schemas
	Required string // members of a JSON Schema for servers with this type; "" for none
	Implied  string // key that implies the type of a server without "type"; "" if none does

	Settings []string   // the keys that Config.API contains
	Paths    [][]string // keys that are paths, which are made absolute, with ~ for the home folder; "*" stands for any name or item

	Process   bool // a server is a process of this machine, if it is not shared
	MCP       bool // servers speak MCP, so a hub can run them
	Hub       bool // the hubs of a fleet run the servers: they log in, and keep the answers to calls with a key
	Functions bool // the tools are functions of this program; the servers have no resources and prompts
	Flat      bool // the tools are part of this program: they have flat names in scripts of answers, and may require approval
	Review    Review

	// Missing returns why a server cannot work, as far as that is known without starting it, and
	// advice. env is the environment of the gateway. Nil: nothing is known.
	Missing func(env []string, cfg Config) (advice string, problem error)

	Conversions []ConvertKind     // what servers have done in a worker process
	Dial        func(h Host) Dial // returns the Dial of a gateway; nil: Host.Own must have it
}

// Review says which part of a server is compared with its pins.
type Review int

// Values of Kind.Review.
const (
	ReviewTools      Review = iota // definition, tools and texts
	ReviewDefinition               // only the definition: the tools change only with this program
	ReviewNothing                  // a user trusts the server in another way
)

// Has reports whether a key of the configuration has an effect on the kind.
func (k Kind) Has(key string) bool { return slices.Contains(k.Keys, key) }

// kinds are the kinds of this program, which change only before main. The first ones have no folder:
// programs connect to their servers with a Dial of their own.
var kinds = []Kind{
	{Type: Fleet, Hub: true},
	{Type: Scripts, Functions: true, Review: ReviewNothing},
	{Type: InProcess, Functions: true, Flat: true, Review: ReviewNothing},
}

// Register adds kinds of servers. It is called while packages are initialized. It panics if two
// kinds have the same type.
func Register(add ...Kind) {
	for _, k := range add {
		if KindOf(k.Type).Type != "" {
			panic(fmt.Sprintf("upstream: two kinds of servers have the type %q", k.Type))
		}
		kinds = append(kinds, k)
	}
}

// Kinds returns the kinds that a configuration can have, in the order of their registration.
func Kinds() []Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k Kind) bool { return k.Keys == nil })
}

// Conversions returns what connections have done in worker processes.
func Conversions() []ConvertKind {
	all := []ConvertKind{Frontmatter}
	for _, k := range kinds {
		all = append(all, k.Conversions...)
	}
	return all
}

// KindOf returns the kind with a type, or with another word for it; the zero Kind if there is none.
func KindOf(word string) Kind {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Type == word || slices.Contains(k.Words, word) })
	if i < 0 {
		return Kind{}
	}
	return kinds[i]
}

// Kind returns the kind of the server; the zero Kind if the type is unknown.
func (c Config) Kind() Kind { return KindOf(c.Type) }
