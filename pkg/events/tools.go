package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// RevCurrent as a policy revision means: as things stand now (a replay with policy "current").
const RevCurrent = ^uint64(0)

// What a policy says of itself that no default explains any more.
const (
	whyConfigured = "set in the configuration"
	whySet        = "set at run time"
)

// toolKey names a tenant's tool by the key of its name.
type toolKey struct{ tenant, tool string }

// policyAt is a run-time policy and the log sequence that set it.
type policyAt struct {
	seq    uint64
	policy schema.ToolPolicy
}

// toolTable is the layers below the run-time policies, by the keys of the tools' names.
type toolTable struct {
	defaults   map[string]schema.ToolDef
	configured map[string][]schema.ToolPolicy // in order
}

func newToolTable(defaults []schema.ToolDef, configured []schema.ToolPolicy) toolTable {
	t := toolTable{defaults: make(map[string]schema.ToolDef, len(defaults)), configured: map[string][]schema.ToolPolicy{}}
	for _, d := range defaults {
		if k := schema.ToolKey(d.Name); t.defaults[k].Name == "" {
			t.defaults[k] = d
		}
	}
	for _, p := range configured {
		k := schema.ToolKey(p.Name)
		t.configured[k] = append(t.configured[k], p)
	}
	return t
}

// keyTool is a key of its own for each policy op, never written again: no compare-and-swap, no order. Readers take
// any spelling of the name in it.
func keyTool(tenant, tool string, seq uint64) string {
	return "tool." + schema.Token(tenant) + "." + schema.Token(schema.ToolKey(tool)) + "." + strconv.FormatUint(seq, 10)
}

// SetTool notes the policy that the log entry seq holds. Intake calls it right after the append; repeating it
// changes nothing.
func (s *State) SetTool(ctx context.Context, tenant string, seq uint64, p schema.ToolPolicy) error {
	if err := schema.CheckID("name", p.Name); err != nil {
		return err
	}
	if seq == 0 {
		return schema.Invalid("seq", "a policy needs the log sequence that set it")
	}
	b, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode tool policy: %w", err)
	}
	key := keyTool(tenant, p.Name, seq)
	rev, err := s.kv.Create(ctx, key, b)
	if lostRace(err) {
		e, err := s.kv.Get(ctx, key)
		if err != nil {
			return fmt.Errorf("read tool policy: %w", mapError(err))
		}
		b, rev = e.Value(), e.Revision()
	} else if err != nil {
		return fmt.Errorf("write tool policy: %w", mapError(err))
	}
	s.apply(key, b, rev, false)
	return nil
}

// applyTool is apply for a tool key; the caller holds mu.
func (s *State) applyTool(rest string, value []byte, deleted bool) error {
	f := strings.Split(rest, ".")
	if len(f) != 3 {
		return errors.New("key is malformed")
	}
	tenant, ok1 := schema.Untoken(f[0])
	tool, ok2 := schema.Untoken(f[1])
	seq, err := strconv.ParseUint(f[2], 10, 64)
	if !ok1 || !ok2 || err != nil {
		return errors.New("key is malformed")
	}
	k := toolKey{tenant, schema.ToolKey(tool)}
	h := slices.DeleteFunc(slices.Clone(s.tools[k]), func(p policyAt) bool { return p.seq == seq })
	if !deleted {
		var p schema.ToolPolicy
		if err := json.Unmarshal(value, &p); err != nil {
			return err
		}
		if p.Name == "" {
			p.Name = tool
		}
		i, _ := slices.BinarySearchFunc(h, seq, func(p policyAt, n uint64) int { return int(int64(p.seq) - int64(n)) })
		h = slices.Insert(h, i, policyAt{seq, p})
		s.toolRev[tenant] = max(s.toolRev[tenant], seq)
	}
	s.tools[k] = h
	close(s.changed)
	s.changed = make(chan struct{})
	return nil
}

// Policy is what holds at policy revision rev (a log sequence, or [RevCurrent]) for the tool that an agent calls
// tool, in whatever spelling. It is resolved by [schema.ToolKeys], the broad name first and the narrow one over it:
// for each the default, the configuration over it, and over both the tenant's run-time policies up to rev; a field
// that a policy does not set keeps what holds. Where no_memory is concerned, caution wins: a policy that sets it for
// the broad name holds for the narrow one too, unless the narrow one was given another value later; and a tool that
// any policy after rev marks no_memory is no_memory here too. ok is false for a tool of which no layer knows. It does
// not block; where rev comes from an event, call [State.WaitPolicy] first. It satisfies stages.ToolPolicies.
func (s *State) Policy(tenant, tool string, rev uint64) (def schema.ToolDef, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	keys := schema.ToolKeys(tool)
	var later bool      // a policy after rev hides it
	var hiddenAt uint64 // the policy up to rev that hides it, 0 for none
	for i := len(keys) - 1; i >= 0; i-- {
		if d, known := s.base.defaults[keys[i]]; known {
			def, ok = d, true
		}
		for _, p := range s.base.configured[keys[i]] {
			def, ok = p.Apply(def), true
			def.Why = whyConfigured
		}
		for _, p := range s.tools[toolKey{tenant, keys[i]}] {
			no := p.policy.NoMemory
			if p.seq > rev {
				later = later || no != nil && *no
				continue
			}
			def, ok = p.policy.Apply(def), true
			def.Why = whySet
			switch {
			case no == nil:
			case *no:
				hiddenAt = max(hiddenAt, p.seq)
			case p.seq > hiddenAt:
				hiddenAt = 0
			}
		}
	}
	def.Name = s.nameOf(tenant, keys[0], tool)
	if hiddenAt > 0 || later {
		def.NoMemory, ok = true, true
		def.Why = whySet
	}
	return def, ok
}

// nameOf is how people read the tool of a key: as the defaults or the configuration spell it, else as its first
// run-time policy did, else as it was asked for. The caller holds mu.
func (s *State) nameOf(tenant, key, asked string) string {
	if d, ok := s.base.defaults[key]; ok {
		return d.Name
	}
	if ps := s.base.configured[key]; len(ps) > 0 {
		return ps[0].Name
	}
	if h := s.tools[toolKey{tenant, key}]; len(h) > 0 {
		return h[0].policy.Name
	}
	return asked
}

// PolicyRev is the log sequence of the tenant's last tool op that this process knows, 0 for none: what intake
// stamps on events. It does not block.
func (s *State) PolicyRev(tenant string) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.toolRev[tenant]
}

// WaitPolicy blocks until this process knows the tenant's policies up to rev, which some process had stamped on an
// event, hence written before: without it the answer of [State.Policy] would hang on who is faster, the watch or
// the event. It returns at once in nearly every case, and a retryable error where ctx ends first.
func (s *State) WaitPolicy(ctx context.Context, tenant string, rev uint64) error {
	for {
		s.mu.RLock()
		have, changed := s.toolRev[tenant], s.changed
		s.mu.RUnlock()
		if have >= rev {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return schema.Retryable(schema.CodeUnavailable, 0, ctx.Err(), "tool policies up to revision %d have not arrived, only %d", rev, have)
		}
	}
}

// Tools is every tool that a layer knows for a tenant, as it stands now: one definition a tool, however many
// spellings of its name there are, by name.
func (s *State) Tools(tenant string) []schema.ToolDef {
	s.mu.RLock()
	names := make(map[string]string, len(s.base.defaults)) // by key
	for k := range s.base.defaults {
		names[k] = ""
	}
	for k := range s.base.configured {
		names[k] = ""
	}
	for k, h := range s.tools {
		if k.tenant == tenant && len(h) > 0 {
			names[k.tool] = ""
		}
	}
	for k := range names {
		names[k] = s.nameOf(tenant, k, k)
	}
	s.mu.RUnlock()
	out := make([]schema.ToolDef, 0, len(names))
	for _, n := range names {
		if d, ok := s.Policy(tenant, n, RevCurrent); ok {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b schema.ToolDef) int { return strings.Compare(a.Name, b.Name) })
	return out
}
