// Package fuel rewrites a WebAssembly module so that its host regains control
// however the module loops: every loop head, and every instruction that moves a
// block of memory, uses up fuel, and when the fuel is gone an import of the
// module is asked whether to go on.
//
// Code compiled by wazero is no safe point for Go's scheduler or collector: one
// loop that calls no host function stops the whole process at its next
// collection. A rewritten module has no such loop.
package fuel

import (
	"errors"
	"fmt"
)

// Options say what the rewritten module does.
type Options struct {
	Module, Function string // the import () → i32 that is asked; non-zero traps
	Export           string // name of the exported global that holds the fuel
	Refill           int32  // fuel between two questions
	Free             bool   // nothing uses up fuel; the module is there to be compared with
}

// blockShift makes 64 bytes of moved memory cost as much as one loop head.
const blockShift = 6

// Rewrite is the module with fuel. It fails on an instruction that it does not
// know, since a skipped immediate would shift everything behind it.
func Rewrite(module []byte, o Options) ([]byte, error) {
	sections, err := split(module)
	if err != nil {
		return nil, err
	}
	meta, err := readMeta(sections, o)
	if err != nil {
		return nil, err
	}
	out := append([]byte(nil), module[:headerSize]...)
	for _, s := range sections {
		body := s.body
		switch s.id {
		case globalSection:
			body, err = appendEntry(body, meta.globalEntry(o.Refill))
		case exportSection:
			body, err = appendEntry(body, meta.exportEntry(o.Export))
		case codeSection:
			if !o.Free {
				body, err = meta.rewriteCode(body, o.Refill)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("section %d: %w", s.id, err)
		}
		out = append(out, s.id)
		out = appendUnsigned(out, uint64(len(body)))
		out = append(out, body...)
	}
	return out, nil
}

// meta is what the code section must know of the other sections.
type meta struct {
	params []int // parameters of each function type
	types  []int // type of each function that the module defines
	ask    uint32
	fuel   uint32 // index of the new global
}

func readMeta(sections []section, o Options) (*meta, error) {
	m := &meta{}
	seen := map[byte]bool{}
	var err error
	for _, s := range sections {
		seen[s.id] = true
		switch s.id {
		case typeSection:
			m.params, err = readTypes(s.body)
		case importSection:
			m.ask, err = findImport(s.body, o.Module, o.Function)
		case functionSection:
			m.types, err = readFunctions(s.body)
		case globalSection:
			m.fuel, err = readCount(s.body)
		}
		if err != nil {
			return nil, fmt.Errorf("section %d: %w", s.id, err)
		}
	}
	for _, id := range []byte{typeSection, importSection, functionSection, globalSection, exportSection, codeSection} {
		if !seen[id] {
			return nil, fmt.Errorf("the module has no section %d", id)
		}
	}
	return m, nil
}

// globalEntry is a mutable i32 that starts full.
func (m *meta) globalEntry(refill int32) []byte {
	entry := []byte{typeI32, 1, opI32Const}
	entry = appendSigned(entry, int64(refill))
	return append(entry, opEnd)
}

func (m *meta) exportEntry(name string) []byte {
	entry := appendUnsigned(nil, uint64(len(name)))
	entry = append(entry, name...)
	entry = append(entry, kindGlobal)
	return appendUnsigned(entry, uint64(m.fuel))
}

func (m *meta) rewriteCode(body []byte, refill int32) ([]byte, error) {
	r := &reader{data: body}
	count := int(r.unsigned())
	if r.err == nil && count != len(m.types) {
		return nil, fmt.Errorf("%d bodies for %d functions", count, len(m.types))
	}
	out := appendUnsigned(nil, uint64(count))
	for i := range count {
		code := r.bytes(int(r.unsigned()))
		if r.err != nil {
			return nil, r.err
		}
		if m.types[i] >= len(m.params) {
			return nil, fmt.Errorf("function %d has an unknown type", i)
		}
		rewritten, err := m.rewriteBody(code, m.params[m.types[i]], refill)
		if err != nil {
			return nil, fmt.Errorf("function %d: %w", i, err)
		}
		out = appendUnsigned(out, uint64(len(rewritten)))
		out = append(out, rewritten...)
	}
	if r.rest() != 0 {
		return nil, errors.New("bytes behind the last function")
	}
	return out, nil
}
