package oauth

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/toolscript/toolscript/transport/egress"
)

// DPoP binds a token to a key of the client (RFC 9449). Each request with the token has a proof: a JWT
// that is signed with the key. So a stolen token is useless without the key. toolscript binds tokens if
// the MCP server requires it.

const (
	dpopScheme    = "DPoP"
	dpopHeader    = "DPoP"
	nonceHeader   = "DPoP-Nonce"
	nonceRequired = "use_dpop_nonce" // error of a server that wants its nonce in the proof
	dpopAlgorithm = "ES256"
)

// maxNonce bounds a nonce, in bytes.
const maxNonce = 1 << 10

// newProofKey returns a new key for proofs, as PKCS #8 in base64.
func newProofKey() Secret {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // crypto/rand never returns an error
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err) // impossible: PKCS #8 supports the curve
	}
	return Secret(base64.StdEncoding.EncodeToString(der))
}

// prover signs proofs with one key.
type prover struct {
	text Secret // the key as it is stored
	key  *ecdsa.PrivateKey
	jwk  map[string]string // the public key
}

func newProver(text Secret) (*prover, error) {
	der, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return nil, errProofKey
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, errProofKey
	}
	key, is := parsed.(*ecdsa.PrivateKey)
	if !is || key.Curve != elliptic.P256() {
		return nil, errProofKey
	}
	point, err := key.PublicKey.Bytes() // the byte 4, and the coordinates x and y
	if err != nil {
		return nil, errProofKey
	}
	encode, half := base64.RawURLEncoding.EncodeToString, (len(point)-1)/2
	return &prover{text: text, key: key, jwk: map[string]string{
		"kty": "EC", "crv": "P-256", "x": encode(point[1 : 1+half]), "y": encode(point[1+half:]),
	}}, nil
}

var errProofKey = errors.New("the stored key of the login is not valid; log in again")

// proof returns a proof for one request. token is "" for a request to a token endpoint.
func (p *prover) proof(method string, to *url.URL, token Secret, nonce string) (string, error) {
	at := url.URL{Scheme: to.Scheme, Host: to.Host, Path: cmp.Or(to.Path, "/"), RawPath: to.RawPath}
	claims := jwt.MapClaims{"jti": rand.Text(), "htm": method, "htu": at.String(), "iat": time.Now().Unix()}
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		claims["ath"] = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	t := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	t.Header["typ"], t.Header["jwk"] = "dpop+jwt", p.jwk
	return t.SignedString(p.key)
}

// proofs makes the proofs of a session.
type proofs struct {
	mu     sync.Mutex
	prover *prover           // the prover of the last request
	nonces map[string]string // the last nonce of each origin
}

// sign adds a proof to a request, and returns the nonce in the proof.
func (p *proofs) sign(req *http.Request, key, token Secret) (nonce string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.prover == nil || p.prover.text != key {
		if p.prover, err = newProver(key); err != nil {
			return "", err
		}
	}
	nonce = p.nonces[egress.Origin(req.URL)]
	proof, err := p.prover.proof(req.Method, req.URL, token, nonce)
	if err == nil {
		req.Header.Set(dpopHeader, proof)
	}
	return nonce, err
}

// learn keeps the nonce in an answer. It returns false if the answer has none, or if the proof of the request
// already contained it. It returns true even if another request has learned the same nonce in the meantime.
func (p *proofs) learn(from *url.URL, answer *http.Response, sent string) (isNew bool) {
	nonce := answer.Header.Get(nonceHeader)
	if nonce == "" || len(nonce) > maxNonce {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.nonces == nil {
		p.nonces = map[string]string{}
	}
	p.nonces[egress.Origin(from)] = nonce
	return nonce != sent
}

// roundTrip sends a request with a proof. If the server wants its nonce in the proof, roundTrip sends
// the request again. asks reports whether an answer asks for the nonce.
func (p *proofs) roundTrip(next http.RoundTripper, req *http.Request, key, token Secret, asks func(*http.Response) bool) (*http.Response, error) {
	nonce, err := p.sign(req, key, token)
	if err != nil {
		closeBody(req)
		return nil, err
	}
	answer, err := next.RoundTrip(req)
	if err != nil || !p.learn(req.URL, answer, nonce) || !asks(answer) {
		return answer, err
	}
	again := req.Clone(req.Context())
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return answer, nil
		}
		if again.Body, err = req.GetBody(); err != nil {
			return answer, nil //nolint:nilerr // the caller handles the first answer
		}
	}
	if nonce, err = p.sign(again, key, token); err != nil {
		closeBody(again)
		return answer, nil //nolint:nilerr // the caller handles the first answer
	}
	discard(answer)
	answer, err = next.RoundTrip(again)
	if err == nil {
		p.learn(again.URL, answer, nonce)
	}
	return answer, err
}

// proving returns a client for token endpoints whose requests have proofs.
func (p *proofs) proving(base *http.Client, key Secret) *http.Client {
	client := *base
	client.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
		return p.roundTrip(base.Transport, req.Clone(req.Context()), key, "", wantsNonce)
	})
	return &client
}

// wantsNonce reports whether a token endpoint asks for its nonce.
func wantsNonce(answer *http.Response) bool {
	if answer.StatusCode != http.StatusBadRequest && answer.StatusCode != http.StatusUnauthorized {
		return false
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxDocument))
	_ = answer.Body.Close() // an error after reading does not matter
	answer.Body = io.NopCloser(strings.NewReader(string(text)))
	return err == nil && strings.Contains(string(text), nonceRequired)
}
