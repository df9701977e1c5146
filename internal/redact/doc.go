// Package redact replaces known secrets in texts by their names. It finds a secret in every
// spelling that programs commonly use: each character may be written as it is, or as an escape
// of URLs, JSON, programming languages or HTML, in any mixture, and the whole secret may be
// written in base64 or hexadecimal. See docs/design/trust-and-secrets.md.
package redact
