package toolscript

import (
	"errors"
	"fmt"
)

// maxKey is the maximum length of an idempotency key, in bytes.
const maxKey = 255

// CheckKey returns an Invalid error unless key is a valid idempotency key: 1 to 255
// visible ASCII characters.
func CheckKey(key string) error {
	if key == "" || len(key) > maxKey {
		return &Error{Kind: Invalid, Sent: SentNo, Err: fmt.Errorf("an idempotency key has 1 to %d characters, not %d", maxKey, len(key))}
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return &Error{Kind: Invalid, Sent: SentNo, Err: errors.New("an idempotency key has only visible characters of ASCII")}
		}
	}
	return nil
}
