package fuel

import "errors"

// reader reads a part of a module. After the first error, all results are zero, so callers
// only check err at the end.
type reader struct {
	data []byte
	at   int
	err  error
}

var errShort = errors.New("the module ends in the middle")

func (r *reader) rest() int { return len(r.data) - r.at }

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) byte() byte {
	b := r.bytes(1)
	if b == nil {
		return 0
	}
	return b[0]
}

func (r *reader) bytes(n int) []byte {
	if r.err != nil || n < 0 || n > r.rest() {
		r.fail(errShort)
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

// unsigned reads an unsigned LEB128 number of at most 32 bits.
func (r *reader) unsigned() uint64 {
	var value uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		value |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if r.err != nil {
				return 0
			}
			return value
		}
	}
	r.fail(errors.New("number of more than 32 bits"))
	return 0
}

// skipLEB skips n numbers, signed or unsigned, of up to 64 bits.
func (r *reader) skipLEB(n int) {
	for range n {
		for r.err == nil && r.byte() >= 0x80 {
			continue
		}
		if r.err != nil {
			return
		}
	}
}

func appendUnsigned(out []byte, value uint64) []byte {
	for value >= 0x80 {
		out = append(out, byte(value)|0x80)
		value >>= 7
	}
	return append(out, byte(value))
}

func appendSigned(out []byte, value int64) []byte {
	for value < -0x40 || value > 0x3f {
		out = append(out, byte(value)&0x7f|0x80)
		value >>= 7
	}
	return append(out, byte(value)&0x7f)
}

// appendIndex writes an instruction with one index as its immediate.
func appendIndex(out []byte, op byte, index uint32) []byte {
	return appendUnsigned(append(out, op), uint64(index))
}
