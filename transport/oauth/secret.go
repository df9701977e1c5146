package oauth

import "log/slog"

// Secret is a text that must not be shown: a token, a client secret, a key.
type Secret string

const hidden = "…"

// String hides the secret from fmt.
func (Secret) String() string { return hidden }

// GoString hides it from %#v.
func (Secret) GoString() string { return hidden }

// LogValue hides it from the log.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides it from encoders: the Store alone writes secrets, as the
// strings they are.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
