package validate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
	"io"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

func (v *visit) array(items []any) {
	if least := v.s.MinItems; least != nil && len(items) < *least {
		v.add(&kind.MinItems{Got: len(items), Want: *least})
	}
	if most := v.s.MaxItems; most != nil && len(items) > *most {
		v.add(&kind.MaxItems{Got: len(items), Want: *most})
	}
	if v.s.UniqueItems && len(items) > 1 {
		if i, j := v.duplicates(items); j > 0 {
			v.add(&kind.UniqueItems{Duplicates: [2]int{i, j}})
		}
	}
	if v.s.DraftVersion < 2020 {
		v.items(items)
	} else {
		first := min(len(v.s.PrefixItems), len(items))
		v.each(v.s.PrefixItems, items)
		v.every(v.s.Items2020, items, first)
	}
	if v.s.Contains != nil {
		v.contains(items)
	}
}

// items applies items and additionalItems of drafts before 2020-12.
func (v *visit) items(items []any) {
	evaluated := 0
	switch s := v.s.Items.(type) {
	case *jsonschema.Schema:
		v.every(s, items, 0)
		evaluated = len(items)
	case []*jsonschema.Schema:
		v.each(s, items)
		evaluated = min(len(s), len(items))
	}
	switch additional := v.s.AdditionalItems.(type) {
	case bool:
		if !additional && evaluated < len(items) {
			v.add(&kind.AdditionalItems{Count: len(items) - evaluated})
		}
	case *jsonschema.Schema:
		v.every(additional, items, evaluated)
	}
}

// each applies each schema to the item at the same position.
func (v *visit) each(schemas []*jsonschema.Schema, items []any) {
	for i, s := range schemas[:min(len(schemas), len(items))] {
		if v.enough() {
			return
		}
		v.keep(v.item(s, items[i], i))
	}
}

// every applies s to the items from index from. A nil s allows all items.
func (v *visit) every(s *jsonschema.Schema, items []any, from int) {
	if s == nil {
		return
	}
	for i := from; i < len(items) && !v.enough(); i++ {
		v.keep(v.item(s, items[i], i))
	}
}

func (v *visit) contains(items []any) {
	var causes []*violation
	matched := 0
	kept := v.found
	for i, item := range items {
		if wrong := v.item(v.s.Contains, item, i); wrong != nil {
			if len(causes) < maxFound {
				causes = append(causes, wrong)
			}
			continue
		}
		matched++
		if v.s.DraftVersion >= 2020 {
			delete(v.open.items, i)
		}
	}
	v.found = kept
	least := 1
	if v.s.MinContains != nil {
		least = *v.s.MinContains
	}
	switch {
	case matched >= least:
	case v.s.MinContains != nil:
		v.addCauses(&kind.MinContains{Want: least}, causes)
	default:
		v.addCauses(&kind.Contains{}, causes)
	}
	if most := v.s.MaxContains; most != nil && matched > *most {
		v.add(&kind.MaxContains{Want: *most})
	}
}

// duplicates returns the indexes of two equal items, or zeros. It compares hashes of a
// canonical form, so that the work is linear.
func (v *visit) duplicates(items []any) (i, j int) {
	seen := make(map[[sha256.Size]byte]int, len(items))
	h := sha256.New()
	for j, item := range items {
		h.Reset()
		v.canonical(h, item)
		var sum [sha256.Size]byte
		h.Sum(sum[:0])
		if i, ok := seen[sum]; ok {
			return i, j
		}
		seen[sum] = j
	}
	return 0, 0
}

// canonical writes a value to h so that two values have the same bytes if and only if
// they are equal in JSON Schema.
func (v *visit) canonical(h hash.Hash, value any) {
	v.spend(4)
	switch value := value.(type) {
	case map[string]any:
		v.mark(h, '{', len(value))
		v.spend(4 * len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			v.letters(h, '"', name)
			v.canonical(h, value[name])
		}
	case []any:
		v.mark(h, '[', len(value))
		for _, item := range value {
			v.canonical(h, item)
		}
	case string:
		v.letters(h, '"', value)
	case bool:
		if value {
			v.mark(h, 't', 0)
		} else {
			v.mark(h, 'f', 0)
		}
	case nil:
		v.mark(h, 'n', 0)
	case json.Number:
		v.spend(numberPrice)
		if r := rational(value); r != nil {
			v.letters(h, '1', r.RatString())
		} else {
			v.letters(h, '9', value.String())
		}
	}
}

// mark writes the kind and the length of the next value to h. Writing to a hash never fails.
func (v *visit) mark(h hash.Hash, kind byte, length int) {
	_, _ = h.Write(binary.AppendUvarint([]byte{kind}, uint64(length)))
}

func (v *visit) letters(h hash.Hash, kind byte, text string) {
	v.spend(len(text) / 8)
	v.mark(h, kind, len(text))
	_, _ = io.WriteString(h, text)
}
