package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// tensors is a safetensors file: the length of the header, the header, the data.
type tensors struct {
	header map[string]tensor
	data   []byte
}

type tensor struct {
	DType   string `json:"dtype"`
	Offsets [2]int `json:"data_offsets"`
}

func parseTensors(file []byte) (tensors, error) {
	if len(file) < 8 {
		return tensors{}, fmt.Errorf("safetensors: %d bytes", len(file))
	}
	size := binary.LittleEndian.Uint64(file)
	if size > uint64(len(file)-8) {
		return tensors{}, fmt.Errorf("safetensors: a header of %d bytes in a file of %d", size, len(file))
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(file[8:8+size], &raw); err != nil {
		return tensors{}, fmt.Errorf("safetensors: header: %w", err)
	}
	t := tensors{header: map[string]tensor{}, data: file[8+size:]}
	for name, text := range raw {
		if name == "__metadata__" {
			continue
		}
		var entry tensor
		if err := json.Unmarshal(text, &entry); err != nil {
			return tensors{}, fmt.Errorf("safetensors: %s: %w", name, err)
		}
		t.header[name] = entry
	}
	return t, nil
}

// read returns the values of a tensor of half precision.
func (t tensors) read(name string) ([]float32, error) {
	entry, known := t.header[name]
	if !known {
		return nil, fmt.Errorf("no tensor %s", name)
	}
	from, to := entry.Offsets[0], entry.Offsets[1]
	if entry.DType != "F16" || from < 0 || to < from || to > len(t.data) {
		return nil, fmt.Errorf("tensor %s: %s at %d to %d of %d bytes, want F16", name, entry.DType, from, to, len(t.data))
	}
	values := make([]float32, (to-from)/2)
	for i := range values {
		values[i] = half(binary.LittleEndian.Uint16(t.data[from+2*i:]))
	}
	return values, nil
}

// half converts a number of half precision: 5 bits of exponent, 10 bits of fraction.
func half(bits uint16) float32 {
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	var value float64
	switch exponent {
	case 0: // subnormal
		value = math.Ldexp(fraction, -24)
	case 0x1f:
		value = math.Inf(1)
		if fraction != 0 {
			value = math.NaN()
		}
	default:
		value = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 == 1 {
		value = -value
	}
	return float32(value)
}
