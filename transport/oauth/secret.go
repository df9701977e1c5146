package oauth

import "log/slog"

// Secret is a text that must not be shown, such as a token, a client secret or a key.
type Secret string

const hidden = "…"

// String hides the secret from fmt.
func (Secret) String() string { return hidden }

// GoString hides the secret from %#v.
func (Secret) GoString() string { return hidden }

// LogValue hides the secret from the log.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the secret from encoders. Only the Store writes secrets, as
// strings.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
