package codegen

// kind is the kind of a JSON value.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	array
	object
	cut // nested too deep, so it was not read
)

// value is a decoded JSON value that keeps the order of its members.
type value struct {
	kind    kind
	text    string // the string, or the literal of a number or boolean
	items   []*value
	members []member
	index   map[string]int // position in members; nil in small objects
}

type member struct {
	key   string
	value *value
}

// indexed is the number of members above which a value has an index.
const indexed = 16

// get returns a member of an object; nil if there is no such member or v is not an
// object.
func (v *value) get(key string) *value {
	if v == nil {
		return nil
	}
	if i := v.position(key); i >= 0 {
		return v.members[i].value
	}
	return nil
}

// has reports whether an object has at least one of the members.
func (v *value) has(keys ...string) bool {
	for _, key := range keys {
		if v.get(key) != nil {
			return true
		}
	}
	return false
}

func (v *value) position(key string) int {
	if v.index != nil {
		if i, ok := v.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range v.members {
		if v.members[i].key == key {
			return i
		}
	}
	return -1
}

// set adds a member. If the key occurs again, set replaces the value and keeps the position of
// the first one.
func (v *value) set(key string, to *value) {
	if i := v.position(key); i >= 0 {
		v.members[i].value = to
		return
	}
	v.members = append(v.members, member{key, to})
	switch {
	case v.index != nil:
		v.index[key] = len(v.members) - 1
	case len(v.members) > indexed:
		v.index = make(map[string]int, 2*indexed)
		for i, m := range v.members {
			v.index[m.key] = i
		}
	}
}

// list returns the items of a member that is an array; nil for other members.
func (v *value) list(key string) []*value {
	if items := v.get(key); items.is(array) {
		return items.items
	}
	return nil
}

// is reports whether v is not nil and has kind k.
func (v *value) is(k kind) bool { return v != nil && v.kind == k }

func (v *value) isTrue() bool { return v.is(boolean) && v.text == "true" }

func (v *value) isFalse() bool { return v.is(boolean) && v.text == "false" }

// str returns the string v; "" for other values.
func (v *value) str() string {
	if !v.is(text) {
		return ""
	}
	return v.text
}
