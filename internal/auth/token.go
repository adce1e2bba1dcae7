package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// prefix begins every token, so that scanners for leaked secrets can know one.
const prefix = "silt_"

// Sizes of what is drawn, in random bytes: an id only has to be unique in a file, a secret must not be guessed.
const (
	idBytes     = 5
	secretBytes = 32
)

// letters are of one case and hold nothing that a shell, a URL or a double click breaks at.
var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Token is one credential as the file keeps it.
//
// Hash is the SHA-256 of the secret. A slow, salted hash is for passwords, which people choose and others guess; a
// secret of 256 random bits cannot be guessed however fast the hash, no two are the same, and every request pays for
// the hash.
type Token struct {
	ID      string         `json:"id"`
	Hash    string         `json:"hash"` // lower-case hex
	Tenant  string         `json:"tenant"`
	Scopes  []schema.Scope `json:"scopes"`
	Name    string         `json:"name,omitempty"` // for people; may be empty
	Created time.Time      `json:"created"`
	Expires time.Time      `json:"expires,omitzero"` // zero: never
	Revoked time.Time      `json:"revoked,omitzero"` // zero: not revoked
}

// Principal is who stands behind a request.
type Principal struct {
	Token  string // id of the token
	Tenant string
	Scopes []schema.Scope
}

// newToken draws a token; secret is the only time that it is seen.
func newToken(tenant, name string, scopes []schema.Scope, now, expires time.Time) (t Token, secret string) {
	b := make([]byte, idBytes+secretBytes)
	_, _ = rand.Read(b) // never fails since Go 1.24
	part := letters.EncodeToString(b[idBytes:])
	t = Token{
		ID: letters.EncodeToString(b[:idBytes]), Hash: hash(part), Tenant: tenant, Scopes: scopes, Name: name,
		Created: now.UTC().Truncate(time.Second), Expires: expires,
	}
	return t, prefix + t.ID + "_" + part
}

func hash(secret string) string {
	h := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(h[:])
}

// split takes a token apart; ok is false for what is none. The id is not secret.
func split(token string) (id, secret string, ok bool) {
	rest, ok := strings.CutPrefix(token, prefix)
	if !ok {
		return "", "", false
	}
	id, secret, ok = strings.Cut(rest, "_")
	if !ok || !coded(id, idBytes) || !coded(secret, secretBytes) {
		return "", "", false
	}
	return id, secret, true
}

// coded reports whether s is what n bytes are written as.
func coded(s string, n int) bool {
	if len(s) != letters.EncodedLen(n) {
		return false
	}
	b, err := letters.DecodeString(s)
	return err == nil && letters.EncodeToString(b) == s // the last letter has bits to spare
}

// nobody is compared with where no token has the id, so that both answers take equally long.
var nobody = hash("")

// matches compares in a time that does not depend on where the two differ.
func (t *Token) matches(secret string) bool {
	want := nobody
	if t != nil {
		want = t.Hash
	}
	same := subtle.ConstantTimeCompare([]byte(hash(secret)), []byte(want)) == 1
	return same && t != nil
}

// State is whether the token lets anyone in at now: active, expired or revoked.
func (t *Token) State(now time.Time) string {
	switch {
	case !t.Revoked.IsZero():
		return "revoked"
	case !t.Expires.IsZero() && !now.Before(t.Expires):
		return "expired"
	}
	return "active"
}

// validate refuses a line of the file that would let in someone whom nobody meant.
func (t *Token) validate() error {
	h, err := hex.DecodeString(t.Hash)
	switch {
	case !coded(t.ID, idBytes):
		return schema.Invalid("id", "is not the id of a token")
	case err != nil || len(h) != sha256.Size || hex.EncodeToString(h) != t.Hash:
		return schema.Invalid("hash", "of token %s is not a SHA-256 in lower-case hex", t.ID)
	case len(t.Scopes) == 0:
		return schema.Invalid("scopes", "of token %s are none", t.ID)
	case t.Created.IsZero():
		return schema.Invalid("created", "of token %s is missing", t.ID)
	}
	for _, s := range t.Scopes {
		if !slices.Contains(schema.Scopes, s) {
			return schema.Invalid("scopes", "of token %s hold %q, which is no scope", t.ID, s)
		}
	}
	return schema.CheckTenant(t.Tenant)
}
