package fuel

import (
	"bytes"
	"errors"
	"fmt"
)

// Ids of the sections that the rewriter reads or changes.
const (
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	globalSection   = 6
	exportSection   = 7
	codeSection     = 10
)

const headerSize = 8

var header = []byte("\x00asm\x01\x00\x00\x00")

type section struct {
	id   byte
	body []byte
}

func split(module []byte) ([]section, error) {
	if !bytes.HasPrefix(module, header) {
		return nil, errors.New("not a WebAssembly module of version 1")
	}
	var sections []section
	r := &reader{data: module, at: headerSize}
	for r.err == nil && r.rest() > 0 {
		id := r.byte()
		sections = append(sections, section{id, r.bytes(int(r.unsigned()))})
	}
	return sections, r.err
}

// readTypes returns the number of parameters of each function type.
func readTypes(body []byte) ([]int, error) {
	r := &reader{data: body}
	var params []int
	for range r.unsigned() {
		if form := r.byte(); r.err == nil && form != 0x60 {
			return nil, fmt.Errorf("type %d is not a function type", len(params))
		}
		n := int(r.unsigned())
		r.bytes(n)
		r.bytes(int(r.unsigned()))
		if r.err != nil {
			return nil, r.err
		}
		params = append(params, n)
	}
	return params, r.err
}

func readFunctions(body []byte) ([]int, error) {
	r := &reader{data: body}
	var types []int
	for range r.unsigned() {
		types = append(types, int(r.unsigned()))
		if r.err != nil {
			return nil, r.err
		}
	}
	return types, r.err
}

func readCount(body []byte) (uint32, error) {
	r := &reader{data: body}
	return uint32(r.unsigned()), r.err
}

// findImport returns the index of an imported function. It returns an error if the module
// imports a global, because the index of the new global would be wrong.
func findImport(body []byte, module, name string) (uint32, error) {
	r := &reader{data: body}
	found, index, functions := false, uint32(0), uint32(0)
	for range r.unsigned() {
		from := string(r.bytes(int(r.unsigned())))
		field := string(r.bytes(int(r.unsigned())))
		kind := r.byte()
		if r.err != nil {
			return 0, r.err
		}
		if kind != 0 {
			return 0, fmt.Errorf("%s.%s is not a function: only functions may be imported", from, field)
		}
		if from == module && field == name {
			found, index = true, functions
		}
		r.unsigned()
		functions++
	}
	if r.err == nil && !found {
		return 0, fmt.Errorf("the module does not import %s.%s", module, name)
	}
	return index, r.err
}

// appendEntry adds an entry to a section that is a list with a count.
func appendEntry(body, entry []byte) ([]byte, error) {
	r := &reader{data: body}
	count := r.unsigned()
	if r.err != nil {
		return nil, r.err
	}
	out := appendUnsigned(nil, count+1)
	out = append(out, body[r.at:]...)
	return append(out, entry...), nil
}
