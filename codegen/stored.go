package codegen

import "strings"

// Stored describes one value in the store of scripts, or, with Begin, all values whose keys
// begin with Key.
type Stored struct {
	Scope string
	Key   string // for Run: the name of the run
	Begin bool   // Key is a common beginning of several keys, and contains no special characters
	Run   bool   // store.run reads the value
	Type  string // observed type, on one line of TypeScript; "" if it is not known
}

const (
	defaultScope = "session" // scope of calls without options

	// maxStored is the maximum size of the types in one text, in bytes. Later values have no type.
	maxStored = 8 << 10
)

// StoreTypes describes store and its known values to readers.
func StoreTypes(known []Stored) string {
	return storeSource + StoreDeclarations(known)
}

// StoreDeclarations returns overloads for the values, to append to the declarations of a
// module; "" if there are no values. The overloads return any, so that a later value of another
// type causes no type error.
func StoreDeclarations(known []Stored) string {
	return overloads(known, "export interface Store {\n", "}\n")
}

// StoredTypes describes only the values to readers; it returns "" if there are no values.
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

// write writes one overload. The key is text from a script, which may be hostile.
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
