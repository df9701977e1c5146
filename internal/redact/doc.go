// Package redact replaces known secrets in texts by their names. A secret is found in every
// spelling that programs commonly give it: each of its characters may be written as it is, or
// with an escape of URLs, of JSON and programming languages, or of HTML, in any mixture; and
// the whole may be base64 or hexadecimal. See docs/design/trust-and-secrets.md.
package redact
