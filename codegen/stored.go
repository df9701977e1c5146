package codegen

import "strings"

// Stored is what is known of a value in the store of scripts, or of all values whose keys
// begin with Key.
type Stored struct {
	Scope string
	Key   string // of Run: the name of the run
	Begin bool   // Key is the beginning of several keys, and has no special characters
	Run   bool   // store.run reads the value
	Type  string // how the value looks, on one line of TypeScript; "" if that is not known
}

const (
	defaultScope = "session" // of calls without options

	// maxStored bounds the types in one text, in bytes. Later values are listed without one.
	maxStored = 8 << 10
)

// StoreTypes describes store and its values to readers.
func StoreTypes(known []Stored) string {
	return storeSource + StoreDeclarations(known)
}

// StoreDeclarations returns overloads for the values, which follow the declarations of a
// module, and "" if there are none. They have the type any: a value that looks different
// tomorrow is no type error.
func StoreDeclarations(known []Stored) string {
	return overloads(known, "export interface Store {\n", "}\n")
}

// StoredTypes describes the values alone to readers; it is "" if there are none.
func StoredTypes(known []Stored) string {
	return overloads(known, "/** Some values that are stored now. '$store' has the types of all of store. */\nexport declare const store: {\n", "};\n")
}

func overloads(known []Stored, first, last string) string {
	if len(known) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(first)
	length := 0
	for _, s := range known {
		if length += len(s.Type); length > maxStored {
			s.Type = ""
		}
		s.write(&b)
	}
	return b.String() + last
}

// write writes one overload. The key is text of a script, which may be hostile.
func (s Stored) write(b *strings.Builder) {
	p := printer{out: b, style: block, indent: 1}
	p.tabs()
	if s.Type != "" {
		p.comment([]string{inComment("Observed, not guaranteed: " + clean(s.Type))})
	}
	if s.Run {
		b.WriteString("run(name: " + quote(s.Key) + "): Promise<any>;\n")
		return
	}
	key, options := quote(s.Key), "options: { scope: "+quote(s.Scope)+" }"
	if s.Begin {
		key = "`" + s.Key + "${string}`"
	}
	if s.Scope == defaultScope {
		options = "options?: { scope?: " + quote(s.Scope) + " }"
	}
	b.WriteString("get(key: " + key + ", " + options + "): Promise<any>;\n")
}
