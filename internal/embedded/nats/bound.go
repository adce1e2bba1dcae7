package nats

import (
	"fmt"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/siltstone-ai/siltstone/internal/disk"
)

// noMaxStore is more than any disk: the server checks its own bound once, at the start, against what streams reserve,
// and would refuse to read them on a disk that has become fuller. Bound is the bound that holds.
const noMaxStore = 1 << 50

// Bound has the file store refuse what would take the disk below its reserve, and returns the disk's space. What is
// free changes by what other programs do: it is to be called again and again. Between two calls the store cannot reach
// the reserve by itself. What does not fit is answered with an error at once (code 10002), and every stream goes on.
func (s *Server) Bound() (disk.Space, error) {
	space, err := disk.Of(s.opts.StoreDir)
	if err != nil {
		return space, err
	}
	acc := s.srv.Load().GlobalAccount()
	if acc == nil {
		return space, nil
	}
	limit := int64(acc.JetStreamUsage().Store) + max(space.Free-space.Reserve(), 0)
	if s.opts.MaxStore > 0 {
		limit = min(limit, s.opts.MaxStore)
	}
	none := int64(-1)
	err = acc.UpdateJetStreamLimits(map[string]server.JetStreamAccountLimits{"": {
		MaxStore: limit, MaxMemory: none, MaxStreams: -1, MaxConsumers: -1, MaxAckPending: -1, MemoryMaxStreamBytes: none, StoreMaxStreamBytes: none,
	}})
	if err != nil {
		return space, fmt.Errorf("bound the file store to %d bytes: %w", limit, err)
	}
	return space, nil
}
