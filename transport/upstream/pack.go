package upstream

import (
	"encoding/binary"
	"encoding/json"
	"errors"
)

// Pack returns a value as JSON, followed by texts, which are neither encoded nor copied.
func Pack(header any, texts ...[]byte) ([][]byte, error) {
	head, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	parts := make([][]byte, 0, 2+2*len(texts))
	for _, text := range append([][]byte{head}, texts...) {
		parts = append(parts, lengthOf(text), text)
	}
	return parts, nil
}

// lengthOf returns the encoded length of a text plus one; 0 for nil.
func lengthOf(text []byte) []byte {
	if text == nil {
		return []byte{0}
	}
	return binary.AppendUvarint(nil, uint64(len(text))+1)
}

var errPacked = errors.New("a converted text is cut off")

// Unpack reads the concatenated result of Pack. The texts are slices of packed.
func Unpack(packed []byte, header any) (texts [][]byte, err error) {
	head, rest, err := cutText(packed)
	if err == nil {
		err = json.Unmarshal(head, header)
	}
	for err == nil && len(rest) > 0 {
		var text []byte
		text, rest, err = cutText(rest)
		texts = append(texts, text)
	}
	return texts, err
}

func cutText(packed []byte) (text, rest []byte, err error) {
	size, n := binary.Uvarint(packed)
	if n <= 0 || size > uint64(len(packed)-n)+1 {
		return nil, nil, errPacked
	}
	packed = packed[n:]
	if size == 0 {
		return nil, packed, nil
	}
	return packed[: size-1 : size-1], packed[size-1:], nil
}
