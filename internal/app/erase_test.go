package app

import (
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/config"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Nothing is said of files that are not here: where one of the stores is another server's, an erasure cannot be verified.
func TestAnErasureIsVerifiedOnlyWhereAllFilesAreHere(t *testing.T) {
	for _, c := range []struct {
		name                string
		nats, qdrant, redis string
		owns                bool
	}{
		{name: "all embedded", owns: true},
		{name: "another Redis, which keeps nothing in files", redis: "redis://r:6379", owns: true},
		{name: "another NATS", nats: "nats://n:4222"},
		{name: "another Qdrant", qdrant: "q:6334"},
		{name: "none embedded", nats: "nats://n:4222", qdrant: "q:6334", redis: "redis://r:6379"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &app{cfg: config.Config{}}
			a.cfg.NATS.URL, a.cfg.Qdrant.Addr, a.cfg.Redis.URL = c.nats, c.qdrant, c.redis
			if got := a.ownsFiles(); got != c.owns {
				t.Errorf("owns its files: %v, want %v", got, c.owns)
			}
			if c.owns {
				return
			}
			if _, err := (&erasures{app: a}).Erase(t.Context(), "acme", schema.EraseRequest{User: "lena", Verify: true}); schema.CodeOf(err) != schema.CodeUnsupported {
				t.Errorf("verify: %v, want %s", err, schema.CodeUnsupported)
			}
		})
	}
}

func TestAUserIsLookedForByWhatNamesNobodyElse(t *testing.T) {
	owner := schema.Owner("acme", "lena")
	if got, want := spokenOf("acme", "lena", false, false), []string{owner, `"user":"lena"`, "Silt-User: lena\r\n"}; !slices.Equal(got, want) {
		t.Errorf("alone: %q, want %q", got, want)
	}
	if got, want := spokenOf("acme", "lena", true, false), []string{owner}; !slices.Equal(got, want) {
		t.Errorf("with one of another tenant: %q, want %q", got, want)
	}
	if got := spokenOf("acme", "lena", true, true); len(got) != 0 { // Lena, lena.k
		t.Errorf("with one whose name begins so: %q", got)
	}
}
