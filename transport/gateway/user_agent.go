package gateway

import "strings"

// maxClient bounds the name of a client, in bytes.
const maxClient = 200

// client is what the client says that it is.
func (x *exchange) client() string {
	name := x.c.Get("User-Agent")
	return strings.ToValidUTF8(strings.Clone(name[:min(len(name), maxClient)]), "")
}
