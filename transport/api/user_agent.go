package api

import "strings"

// maxClient is the maximum length of a client's name in bytes.
const maxClient = 200

// client returns the name of the client from its User-Agent header.
func (x *exchange) client() string {
	name := x.c.Get("User-Agent")
	return strings.ToValidUTF8(strings.Clone(name[:min(len(name), maxClient)]), "")
}
