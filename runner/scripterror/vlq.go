package scripterror

import (
	"errors"
	"strings"
)

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// decodeVLQ decodes the 1, 4 or 5 numbers of one segment. A number is a sequence of base64
// digits, the lowest first, of five bits each and a bit that says whether more digits follow.
// The lowest bit of a number is its sign.
func decodeVLQ(text string) ([]int, error) {
	fields := make([]int, 0, 5)
	value, shift := 0, 0
	for i := range len(text) {
		digit := strings.IndexByte(base64, text[i])
		if digit < 0 || shift > 30 {
			return nil, errors.New("source map: bad number in mappings")
		}
		value |= (digit & 31) << shift
		if digit&32 != 0 {
			shift += 5
			continue
		}
		if value&1 != 0 {
			fields = append(fields, -(value >> 1))
		} else {
			fields = append(fields, value>>1)
		}
		value, shift = 0, 0
	}
	if shift != 0 || (len(fields) != 1 && len(fields) != 4 && len(fields) != 5) {
		return nil, errors.New("source map: bad segment in mappings")
	}
	return fields, nil
}

// appendVLQ is the inverse of decodeVLQ for one number.
func appendVLQ(out []byte, value int) []byte {
	bits := value << 1
	if value < 0 {
		bits = -value<<1 | 1
	}
	for bits >= 32 {
		out = append(out, base64[bits&31|32])
		bits >>= 5
	}
	return append(out, base64[bits])
}
