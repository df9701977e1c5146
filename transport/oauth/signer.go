package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// assertionType is the client_assertion_type of RFC 7523.
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// assertionLife is how long an assertion is valid. It is enough for one request and a difference between the clocks.
const assertionLife = 5 * time.Minute

// signer creates the assertions of a client with a private key.
type signer struct {
	clientID string
	method   jwt.SigningMethod
	key      crypto.PrivateKey
}

func newSigner(c Config) (*signer, error) {
	key, err := parseKey(string(c.PrivateKey))
	if err != nil {
		return nil, fmt.Errorf("oauth.privateKey: %w", err)
	}
	name := c.SigningAlgorithm
	if name == "" {
		name = algorithmOf(key)
	}
	method := jwt.GetSigningMethod(name)
	if _, hmac := method.(*jwt.SigningMethodHMAC); method == nil || hmac || name == "none" {
		return nil, fmt.Errorf("oauth.signingAlgorithm: %q is not an algorithm for private keys", name)
	}
	s := &signer{c.ClientID, method, key}
	if _, err := s.assertion("check"); err != nil {
		return nil, fmt.Errorf("oauth.privateKey does not sign with %s", name)
	}
	return s, nil
}

// parseKey parses a key in PEM form. Its errors never quote it.
func parseKey(text string) (crypto.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("not a key in PEM form")
	}
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	return nil, errors.New("not a supported private key (PKCS #8, SEC 1 or PKCS #1, without a password)")
}

func algorithmOf(key crypto.PrivateKey) string {
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		switch k.Curve.Params().BitSize {
		case 384:
			return "ES384"
		case 521:
			return "ES512"
		}
		return "ES256"
	case ed25519.PrivateKey:
		return "EdDSA"
	case *rsa.PrivateKey:
		return "RS256"
	default:
		return ""
	}
}

// assertion returns a signed JWT for one request to the audience.
func (s *signer) assertion(audience string) (Secret, error) {
	now := time.Now()
	text, err := jwt.NewWithClaims(s.method, jwt.MapClaims{
		"iss": s.clientID, "sub": s.clientID, "aud": audience, "jti": rand.Text(),
		"iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
	}).SignedString(s.key)
	return Secret(text), err
}
