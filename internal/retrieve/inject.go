package retrieve

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// inject makes the block. Where the query asks for it, memories that a block of another, earlier turn of the
// conversation held, or nearly repeated, are left out, and what this one holds is recorded: D9. A record that cannot be read or written
// leaves the block as it would be without one. missing is how many rules and pins had no room in it.
func (s *Service) inject(ctx context.Context, a *ask, cands []rank.Candidate, from found, lang string, stale bool, fs *faults) (block string, missing int) {
	if a.Dedupe != "conversation" || s.deps.Injected == nil {
		block, _, missing = s.block(a, cands, from, lang)
		return block, missing
	}
	turn, question := fingerprint(a.Turn), a.question()
	ins, err := isolate(ctx, s.cfg.Cache, s.log, "injections", func(ctx context.Context) ([]events.Injection, error) {
		return s.deps.Injected.Injections(ctx, a.tenant, a.User, a.Conversation)
	})
	if err != nil {
		fs.add("dedupe", err)
	}
	may := injectable(ins, turn, question)
	marks := map[string]string{} // id → fingerprint
	left := make([]rank.Candidate, 0, len(cands))
	for _, c := range cands {
		m := memoryMark(c)
		marks[c.Item.ID] = m
		if c.Item.Type == schema.TypeConstraint || c.Item.Pinned || may(m) { // rules and pins are in every block
			c.Item = s.shortened(c.Item, from.words) // what repeats another is judged by what a block shows
			left = append(left, c)
		}
	}
	block, items, missing := s.block(a, left, from, lang)
	if err != nil {
		return block, missing
	}
	if stale || len(fs.list()) > 0 { // asked again, the turn shall get the better block
		question = ""
	}
	in := events.Injection{Turn: turn, Ask: question, Held: make([]string, 0, len(items))}
	for _, it := range append(items, rank.Repeats(items, left, s.cfg.Budget)...) { // what a block has no second place for is no news in the next
		in.Held = append(in.Held, marks[it.ID])
	}
	_, err = isolate(ctx, s.cfg.Cache, s.log, "record injection", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.deps.Injected.AddInjection(ctx, a.tenant, a.User, a.Conversation, in)
	})
	if err != nil {
		fs.add("dedupe", err)
	}
	return block, missing
}

// injectable tells which memories may enter the block of a turn. Asked again the same question, the turn gets what it
// got, unless that block lacked something; asked anew, all but what the turns before it got. There is no way back for a memory before the record expires:
// with few memories, bringing some back would make them come and go.
func injectable(ins []events.Injection, turn, question string) func(mark string) bool {
	first := len(ins)
	for i, in := range ins {
		if in.Turn != turn {
			continue
		}
		if in.Ask != "" && in.Ask == question {
			return func(mark string) bool { return slices.Contains(in.Held, mark) }
		}
		first = min(first, i)
	}
	held := map[string]bool{}
	for _, in := range ins[:first] {
		for _, m := range in.Held {
			held[m] = true
		}
	}
	return func(mark string) bool { return !held[mark] }
}

// question is what a query asks, without what differs between two tries of it.
func (a *ask) question() string {
	q := a.Query
	q.Turn, q.MinSeq, q.Now, q.Explain = "", 0, time.Time{}, false
	b, err := json.Marshal(q)
	if err != nil { // not reachable: a query came as JSON
		return ""
	}
	return fingerprint(string(b))
}

// memoryMark stands for a memory: a fact by what it says, so that it is the same when another statement of it becomes
// the canonical one, a turn by its id, since the part of it that is shown depends on the question.
func memoryMark(c rank.Candidate) string {
	if c.Hash != "" {
		return fingerprint(c.Hash)
	}
	return fingerprint(c.Item.ID)
}

func fingerprint(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}
