package openapi

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/egress"
)

// maxLink is the maximum length of the address of a page, in bytes.
const maxLink = 8 << 10

// paged reports whether a tool has pages: its method is GET, and the document declares the header
// Link, or the result is an array, which has no other place for the address of the next page. A
// tool with a parameter named PageKey has no pages.
func (o *operation) paged(r result) bool {
	return o.Method == http.MethodGet && (r.links || r.list) &&
		!slices.ContainsFunc(o.Parameters, func(p parameter) bool { return p.Name == toolscript.PageKey })
}

// place returns the continuations of the page in an answer and of the next page. request is the
// request that was answered.
func (a *api) place(c call, request *http.Request, answer *http.Response) (toolscript.PagePlace, error) {
	p := toolscript.PagePlace{Self: c.seal(a.plain(request.URL))}
	link := nextLink(answer.Header.Values("Link"))
	if link == "" {
		return p, nil
	}
	refuse := func(why string) (toolscript.PagePlace, error) {
		return p, fmt.Errorf("%s %s: the link to the next page %s", c.Method, c.Path, why)
	}
	next, err := answer.Request.URL.Parse(link)
	origin, invalid := url.Parse(c.base)
	switch {
	case err != nil || invalid != nil:
		return refuse(fmt.Sprintf("is no address: %.200q", link))
	case !egress.SameOrigin(next, origin):
		return refuse(fmt.Sprintf("leads to another origin, %.200s, which is refused: credentials of this API would go there", next.Scheme+"://"+next.Host))
	}
	address := a.plain(next)
	if len(address) > maxLink {
		return refuse(fmt.Sprintf("has more than %d KB", maxLink>>10))
	}
	p.Next = c.seal(address)
	return p, nil
}

// plain returns an address without credentials.
func (a *api) plain(address *url.URL) string {
	u := *address
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	u.RawQuery = strings.ReplaceAll(u.RawQuery, " ", "%20") // some APIs repeat a parameter without escaping it
	a.auth.Strip(&u)
	return u.String()
}

// turn changes the request of a call to a request for the page that the call asks for.
func (c call) turn(request *http.Request) error {
	if c.page == "" {
		return nil
	}
	address, err := c.open(c.page)
	if err != nil {
		return err
	}
	request.URL, err = url.Parse(address)
	if err != nil {
		return err
	}
	request.Host = request.URL.Host
	return nil
}

// A continuation is the encrypted address of a page. A script can only pass it on. It cannot read a
// continuation, because the address may contain a secret of the API. It cannot create one,
// because it could then call addresses that are not tools. A continuation is valid for one tool,
// API and set of arguments.

// sealer seals and opens continuations.
type sealer struct {
	aead  cipher.AEAD
	nonce []byte // key from which nonces are derived
}

// sealing returns the keys of this process.
var sealing = sync.OnceValue(func() sealer {
	keys := make([]byte, 64)
	_, _ = rand.Read(keys) // never fails (crypto/rand)
	block, err := aes.NewCipher(keys[32:])
	if err != nil {
		panic(err) // impossible: the length of the key is valid
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // impossible: AES has the right block size
	}
	return sealer{aead, keys[:32]}
})

// belongs returns the data of a call for which its continuations are valid.
func (c call) belongs() []byte {
	sum := sha256.Sum256(joinedObject(c.given))
	return fmt.Appendf(nil, "%q %q %q %x", c.base, c.Method, c.Path, sum)
}

// seal encrypts an address. Equal addresses have equal continuations. The nonce is a MAC of all
// inputs, so different texts never have the same nonce.
func (c call) seal(address string) string {
	s, of := sealing(), c.belongs()
	mac := hmac.New(sha256.New, s.nonce)
	_, _ = mac.Write(fmt.Appendf(nil, "%s\x00%s", of, address)) // writing to a hash does not fail
	nonce := mac.Sum(nil)[:s.aead.NonceSize()]
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nonce, nonce, []byte(address), of))
}

// errContinuation is the error for a continuation that does not belong to the call.
var errContinuation = errors.New("this is not a page of this call; a page is valid only until the gateway ends, so begin again with the first page")

func (c call) open(continuation string) (string, error) {
	s := sealing()
	text, err := base64.RawURLEncoding.DecodeString(continuation)
	if err != nil || len(text) < s.aead.NonceSize() {
		return "", errContinuation
	}
	nonce := text[:s.aead.NonceSize()]
	address, err := s.aead.Open(nil, nonce, text[len(nonce):], c.belongs())
	if err != nil {
		return "", errContinuation
	}
	return string(address), nil
}
