package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/internal/atomicfile"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// fileVersion is the format of the file.
const fileVersion = 1

// maxFile bounds what is read: some ten thousand tokens.
const maxFile = 4 << 20

// maxName bounds the name of a token, in bytes.
const maxName = 128

// content is the file.
type content struct {
	Version int     `json:"version"`
	Tokens  []Token `json:"tokens"`
}

// Validate refuses what Create and Revoke never write. A file without tokens would open the server to everyone who
// reaches it, so it is no way to say that: the way is to have no file.
func (c *content) Validate() error {
	if c.Version != fileVersion {
		return schema.Invalid("version", "is %d, this build reads %d", c.Version, fileVersion)
	}
	if len(c.Tokens) == 0 {
		return schema.Invalid("tokens", "are none; remove the file to run without tokens")
	}
	seen := map[string]bool{}
	for i := range c.Tokens {
		t := &c.Tokens[i]
		if err := t.validate(); err != nil {
			return fmt.Errorf("tokens[%d]: %w", i, err)
		}
		if seen[t.ID] {
			return schema.Invalid("tokens", "hold the id %s twice", t.ID)
		}
		seen[t.ID] = true
	}
	return nil
}

// File is where tokens are kept: JSON, readable by its owner. Its methods read and write the file at each call.
type File struct{ Path string }

// New is what Create is asked for.
type New struct {
	Tenant  string
	Name    string
	Scopes  []schema.Scope
	Expires time.Time // zero: never
}

// List is every token in the file in order of making, revoked and expired ones too; none where there is no file.
func (f File) List() ([]Token, error) {
	c, _, err := f.read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return c.Tokens, err
}

// Create adds a token and returns it with its secret, which cannot be had again. It makes the file, and its
// directory, where there is none.
func (f File) Create(n New, now time.Time) (t Token, secret string, err error) {
	if err := n.validate(now); err != nil {
		return t, "", err
	}
	ts, err := f.List()
	if err != nil {
		return t, "", err
	}
	for t.ID == "" || slices.ContainsFunc(ts, func(o Token) bool { return o.ID == t.ID }) {
		t, secret = newToken(n.Tenant, n.Name, slices.Compact(slices.Sorted(slices.Values(n.Scopes))), now, n.Expires.UTC().Truncate(time.Second))
	}
	if err := f.write(append(ts, t)); err != nil {
		return Token{}, "", err
	}
	return t, secret, nil
}

// Revoke ends the token of that id; one that is revoked already stays as it is. The line stays, without its hash's
// use: were the last token taken out of the file, the server would need none.
func (f File) Revoke(id string, now time.Time) (Token, error) {
	ts, err := f.List()
	if err != nil {
		return Token{}, err
	}
	i := slices.IndexFunc(ts, func(t Token) bool { return t.ID == id })
	if i < 0 {
		return Token{}, &schema.Error{Code: schema.CodeNotFound, Field: "id", Message: "there is no token with that id; siltstone token list shows them"}
	}
	if !ts[i].Revoked.IsZero() {
		return ts[i], nil
	}
	ts[i].Revoked = now.UTC().Truncate(time.Second)
	return ts[i], f.write(ts)
}

func (n *New) validate(now time.Time) error {
	if err := schema.CheckTenant(n.Tenant); err != nil {
		return err
	}
	if len(n.Scopes) == 0 {
		return schema.Invalid("scope", "name at least one of %s", scopeNames())
	}
	for _, s := range n.Scopes {
		if !slices.Contains(schema.Scopes, s) {
			return schema.Invalid("scope", "%q is not one of %s", s, scopeNames())
		}
	}
	if !n.Expires.IsZero() && !n.Expires.After(now) {
		return schema.Invalid("expires", "lies in the past")
	}
	if len(n.Name) > maxName || !utf8.ValidString(n.Name) || strings.ContainsFunc(n.Name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return schema.Invalid("name", "must be at most %d bytes of printable text", maxName)
	}
	return nil
}

func scopeNames() string {
	var names []string
	for _, s := range schema.Scopes {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// read reads and checks the whole file; info is what it was when it was opened.
func (f File) read() (c content, info fs.FileInfo, err error) {
	// Before it is opened: to open a pipe waits for whoever writes into it.
	if info, err = os.Stat(f.Path); err != nil {
		return c, nil, fmt.Errorf("read tokens: %w", err)
	}
	if err := checkMode(f.Path, info); err != nil {
		return c, info, err
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return c, nil, fmt.Errorf("read tokens: %w", err)
	}
	defer file.Close() // nothing was written
	if info, err = file.Stat(); err != nil {
		return c, nil, fmt.Errorf("read tokens: %w", err)
	}
	if err := checkMode(f.Path, info); err != nil {
		return c, info, err
	}
	if info.Size() > maxFile {
		return c, info, fmt.Errorf("read tokens: %s has more than %d bytes", f.Path, maxFile)
	}
	b := make([]byte, info.Size())
	if n, err := file.ReadAt(b, 0); err != nil && n < len(b) {
		return c, info, fmt.Errorf("read tokens: %w", err)
	}
	if c, err = schema.Decode[content](b); err != nil {
		return content{}, info, fmt.Errorf("read tokens: %s is damaged: %w", f.Path, err)
	}
	return c, info, nil
}

// checkMode refuses a file that is open to others. The group may read it, as container platforms mount secrets so;
// whoever could write it could make himself a token.
func checkMode(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("read tokens: %s is not a file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o027 != 0: // there, the mode says nothing of who may read
		return fmt.Errorf("read tokens: %s is open to others (mode %04o); run: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	return nil
}

// write replaces the file as a whole: a reader sees the old one or the new one, also after a power cut.
func (f File) write(ts []Token) error {
	b, err := json.MarshalIndent(content{Version: fileVersion, Tokens: ts}, "", "  ")
	if err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	if err := atomicfile.Write(f.Path, append(b, '\n')); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	return nil
}
