package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/siltstone-ai/siltstone/internal/auth"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/edge/httpapi"
)

// ErrConfig marks what Run refuses because of the configuration: another start ends the same way.
var ErrConfig = errors.New("refused")

// gate is the tokens as the HTTP edge asks them.
type gate struct{ *auth.Gate }

func (g gate) Authenticate(remote, token string) (httpapi.Principal, bool, error) {
	p, needed, err := g.Gate.Authenticate(remote, token)
	return httpapi.Principal(p), needed, err
}

// openGate reads the tokens. An address that other machines reach is refused unless there is one that holds, or the
// operator says that something else guards it.
func (a *app) openGate() error {
	a.gate = auth.Open(auth.Config{Path: a.cfg.TokensFile(), Logger: a.log})
	a.health.Add("tokens", func(context.Context) error { return a.gate.Err() })
	if config.Loopback(a.cfg.HTTP.Addr) || a.cfg.HTTP.Insecure {
		a.tellOpen()
		return nil
	}
	if err := a.gate.Err(); err != nil {
		return fmt.Errorf("http.addr %q %w: it is reachable from other machines and the tokens cannot be read: %v", a.cfg.HTTP.Addr, ErrConfig, err)
	}
	if a.gate.Active() == 0 {
		return fmt.Errorf("http.addr %q %w: it is reachable from other machines and %s holds no valid token; make one with siltstone token create, or bind to loopback, or set http.insecure where something before it asks who comes",
			a.cfg.HTTP.Addr, ErrConfig, a.cfg.TokensFile())
	}
	return nil
}

// tellOpen says so where nobody needs a token: a role that looks for them in another place than was meant is open, and
// nothing else shows it.
func (a *app) tellOpen() {
	if a.gate.Required() {
		return
	}
	level, who := slog.LevelInfo, "everyone on this machine"
	if !config.Loopback(a.cfg.HTTP.Addr) {
		level, who = slog.LevelWarn, "everyone who reaches it"
	}
	a.log.Log(context.Background(), level, "no tokens: "+who+" is let in, as any tenant", "file", a.cfg.TokensFile(), "http.addr", a.cfg.HTTP.Addr)
}
