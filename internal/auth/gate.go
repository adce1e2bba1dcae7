package auth

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Recheck is how long a change of the file may go unnoticed.
const Recheck = 500 * time.Millisecond

// Config of a Gate.
type Config struct {
	Path   string           // of the file of tokens; it need not be there
	Now    func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: says nothing
}

// Gate lets requests in by the tokens of a file. Safe for concurrent use.
type Gate struct {
	file   File
	now    func() time.Time
	log    *slog.Logger
	failed *limiter

	mu      sync.Mutex
	checked time.Time
	info    fs.FileInfo // of the file as it was read, nil where there was none
	tokens  map[string]*Token
	needed  bool  // there are tokens, or were some since Open: nobody gets in without one
	fault   error // the file cannot be read: nobody gets in at all
}

// Open reads the file. That it cannot be read is no error of Open: the gate is shut then, and says why by Err.
func Open(cfg Config) *Gate {
	g := &Gate{file: File{cfg.Path}, now: cfg.Now, log: cfg.Logger, failed: newLimiter()}
	if g.now == nil {
		g.now = time.Now
	}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refresh(g.now())
	return g
}

// Required reports whether requests need a token.
func (g *Gate) Required() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refresh(g.now())
	return g.needed || g.fault != nil
}

// Err is why nobody gets in, nil where tokens are as they should be or there are none.
func (g *Gate) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refresh(g.now())
	return g.fault
}

// Authenticate tells whose token it is; "" stands for a request without one. remote is the address that the request
// came from, as host:port. needed is false where there are no tokens and none was given: then nothing is known of who
// asks. The principal's Token is the id that was claimed, also beside an error.
//
// Errors: unauthenticated (no token, or none that holds), rate_limited (the same, after too many failures from that
// address; a token that holds is never limited), unavailable (the tokens cannot be read). It blocks on nothing but, twice a
// second at most, a look at the file.
func (g *Gate) Authenticate(remote, token string) (p Principal, needed bool, err error) {
	id, secret, ok := split(token)
	p.Token = id
	now := g.now()
	g.mu.Lock()
	g.refresh(now)
	fault, need, t := g.fault, g.needed, g.tokens[id]
	g.mu.Unlock()
	switch {
	case fault != nil: // the log and /readyz say more than a stranger may know
		return p, true, schema.Retryable(schema.CodeUnavailable, time.Second, nil, "credentials cannot be checked at present")
	case token == "" && !need:
		return p, false, nil
	}
	why := ""
	switch matched := t.matches(secret); {
	case token == "":
		why = "this needs a token: send Authorization: Bearer silt_…"
	case !ok:
		why = "what was sent is no token of this server"
	case !matched:
		why = "the token is not known here"
	default: // only who has the secret learns more
		if state := t.State(now); state != "active" {
			why = "the token is " + state
		}
	}
	if why == "" { // whatever others have tried: nobody is locked out by guesses at his token, or from his address
		return Principal{Token: id, Tenant: t.Tenant, Scopes: t.Scopes}, true, nil
	}
	// Guesses are hopeless at 256 bits. The bound is there for the log, and for clients that go on with a dead token.
	from := source(remote)
	if wait := g.failed.blocked(from, now); wait > 0 {
		return p, true, schema.Retryable(schema.CodeRateLimited, wait, nil, "too many attempts without a valid token; wait, then try again")
	}
	g.failed.fail(from, now)
	return p, true, &schema.Error{Code: schema.CodeUnauthenticated, Field: "Authorization", Message: why}
}

// Active is how many tokens let someone in now.
func (g *Gate) Active() int {
	now := g.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refresh(now)
	n := 0
	for _, t := range g.tokens {
		if t.State(now) == "active" {
			n++
		}
	}
	return n
}

// refresh reads the file again where it has changed. It holds g.mu, and a Token is never changed once it is read.
func (g *Gate) refresh(now time.Time) {
	if since := now.Sub(g.checked); !g.checked.IsZero() && since >= 0 && since < Recheck {
		return
	}
	g.checked = now
	info, err := os.Stat(g.file.Path) // takes no descriptor
	if err == nil && g.fault == nil && g.info != nil && os.SameFile(info, g.info) && info.ModTime().Equal(g.info.ModTime()) &&
		info.Size() == g.info.Size() && info.Mode() == g.info.Mode() {
		return
	}
	if errors.Is(err, fs.ErrNotExist) && !g.needed {
		g.info, g.fault = nil, nil
		return
	}
	// A file that was there once is needed: its going opens nothing. One that nobody has seen is not, whatever kept
	// it from being looked for (no free descriptor, a directory without access): then the gate is shut for as long.
	seen := g.needed || err == nil
	var c content
	if err == nil {
		c, info, err = g.file.read()
	} else {
		err = fmt.Errorf("read tokens: %w", err)
	}
	if err != nil {
		if g.fault == nil || g.fault.Error() != err.Error() {
			g.log.Error("nobody is let in: the tokens cannot be read", slog.String(obs.KeyError, err.Error()))
		}
		g.info, g.fault, g.tokens, g.needed = nil, err, nil, seen
		return
	}
	tokens := make(map[string]*Token, len(c.Tokens))
	for i := range c.Tokens {
		tokens[c.Tokens[i].ID] = &c.Tokens[i]
	}
	g.log.Info("tokens read", slog.Int("tokens", len(tokens)))
	g.info, g.fault, g.tokens, g.needed = info, nil, tokens, true
}
