// Package fuel rewrites a WebAssembly module so that its host regains control in every loop.
// Each loop head, and each instruction that copies or fills a block of memory, uses fuel.
// When the fuel is used up, the module calls an imported function that decides whether to
// continue.
//
// Code compiled by wazero has no safe points for Go's scheduler or garbage collector:
// one loop without a call of the host stops the whole process at its next collection.
// A rewritten module has no such loop.
package fuel

import (
	"errors"
	"fmt"
)

// Options describe the rewritten module.
type Options struct {
	Module, Function string // imported function () → i32 that is called without fuel; a non-zero result traps
	Export           string // name of the exported global that holds the fuel
	Refill           int32  // fuel between two calls of Function
	Free             bool   // no instruction uses fuel; for comparisons
}

// blockShift makes a block of 64 bytes cost as much as one loop head.
const blockShift = 6

// Rewrite returns the module with fuel. It returns an error for an unknown instruction, whose
// immediates it cannot skip.
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

// meta is the information from other sections that is needed to rewrite the code section.
type meta struct {
	params []int // number of parameters of each function type
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

// globalEntry returns a mutable i32 with the initial fuel.
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
