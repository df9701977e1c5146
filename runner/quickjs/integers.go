package quickjs

import "bytes"

// manyDigits is the number of digits of the smallest integer that becomes a bigint in scripts.
const manyDigits = 16

// mayHaveLarge reports whether JSON may contain an integer that a number cannot hold. It only
// looks at every 16th byte, because such an integer has a digit at one of these.
func mayHaveLarge(text []byte) bool {
	for at := manyDigits - 1; at < len(text); at += manyDigits {
		if !isDigit(text[at]) {
			continue
		}
		begin, end := at, at+1
		for begin > 0 && isDigit(text[begin-1]) {
			begin--
		}
		for end < len(text) && isDigit(text[end]) {
			end++
		}
		if end-begin >= manyDigits && beginsNumber(text[:begin]) {
			return true
		}
		at = max(at, end-manyDigits)
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// beginsNumber reports whether digits after a text may begin a number. After a point or a
// letter, they do not.
func beginsNumber(before []byte) bool {
	before = bytes.TrimSuffix(before, []byte("-"))
	return len(before) == 0 || bytes.IndexByte([]byte(" \t\r\n:,["), before[len(before)-1]) >= 0
}

// parseExact is like parse, but creates bigints for large integers.
func (in *instance) parseExact(p uint32, length int) (result handle, thrown bool) {
	return in.invoke(in.entries.parse, in.stringAt(p, length))
}
