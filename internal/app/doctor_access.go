package app

import (
	"fmt"
	"time"

	"github.com/siltstone-ai/siltstone/internal/auth"
	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/internal/doctor"
)

// access looks at what lets requests into the HTTP edge: the tokens and the certificate.
func access(cfg config.Config, now time.Time) []doctor.Finding {
	out := []doctor.Finding{tokens(cfg, now)}
	if cfg.HTTP.TLSCert != "" {
		out = append(out, doctor.Certificate(cfg.HTTP.TLSCert, cfg.HTTP.TLSKey, now))
	}
	return out
}

// tokens judges the file of the tokens as the server would: it lets nobody in where the file cannot be read.
func tokens(cfg config.Config, now time.Time) doctor.Finding {
	path := cfg.TokensFile()
	f := doctor.Finding{Check: "tokens", Status: doctor.OK}
	all, err := auth.File{Path: path}.List()
	if err != nil {
		f.Status, f.Detail = doctor.Fail, "every request would be refused: "+err.Error()
		f.Mend = "chmod 600 " + path + ", let the user that runs Siltstone own it, and bring a damaged one back from a copy; without the file no request on loopback needs a token"
		return f
	}
	valid := 0
	var first time.Time // end of the one that ends first
	for i := range all {
		if t := &all[i]; t.State(now) == "active" {
			valid++
			if !t.Expires.IsZero() && (first.IsZero() || t.Expires.Before(first)) {
				first = t.Expires
			}
		}
	}
	create := "siltstone token create --tenant NAME --scope publish,query"
	open := !config.Loopback(cfg.HTTP.Addr)
	switch {
	case valid > 0:
		f.Detail = fmt.Sprintf("%d of %d in %s let somebody in", valid, len(all), path)
		if !first.IsZero() {
			f.Detail += ", the first ends on " + first.UTC().Format(time.DateOnly)
		}
	case open && !cfg.HTTP.Insecure:
		f.Status, f.Mend = doctor.Fail, create+", or bind to loopback with --http-addr"
		f.Detail = fmt.Sprintf("http.addr %s is reachable from other machines and %s holds no valid token", cfg.HTTP.Addr, path)
	case len(all) > 0:
		f.Status, f.Mend = doctor.Warn, create
		f.Detail = fmt.Sprintf("none of the %d in %s is valid any more: every request is refused", len(all), path)
	case open:
		f.Status, f.Mend = doctor.Warn, "see that something before it asks who comes, or "+create
		f.Detail = fmt.Sprintf("http.addr %s is reachable from other machines and needs no token, as http.insecure says", cfg.HTTP.Addr)
	default:
		f.Detail = "none: requests on loopback need none"
	}
	return f
}
