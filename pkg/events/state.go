package events

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// State is the small state beside the log, in the key-value bucket SILT_STATE: tools and their policies, users'
// settings, generations and the active one. It is a reading of the log (the ops tool and setting) but for the
// generations, and [State.CatchUp] rebuilds it. All of it is held in memory and followed by a watch; reads do not
// block, and what this process wrote is read at once. It is safe for concurrent use.
type State struct {
	kv    jetstream.KeyValue
	log   *slog.Logger
	watch jetstream.KeyWatcher
	done  chan struct{}

	mu          sync.RWMutex
	changed     chan struct{}     // closed and replaced at each change of tools
	moved       chan struct{}     // the same, of generations and of which is read
	revs        map[string]uint64 // revision applied last, by key
	generations map[int]Generation
	active      int
	settings    map[string]userSettings // by settingOf
	tools       map[toolKey][]policyAt  // by rising sequence
	toolRev     map[string]uint64       // tenant → sequence of its last tool op
	base        toolTable
}

// StateOptions are the layers below run-time tool policies.
type StateOptions struct {
	Defaults   []schema.ToolDef    // the table that ships
	Configured []schema.ToolPolicy // from the configuration, laid over it in order
	Log        *slog.Logger        // nil: slog.Default
}

type userSettings struct {
	Seq      uint64          `json:"seq"` // log sequence of the op that set them
	Settings schema.Settings `json:"settings"`
}

const (
	keySettingAll = "setting.*.*"
	keyToolAll    = "tool.*.*.*"
	keyCaughtUp   = "caught_up_2" // log sequence up to which CatchUp has applied tool and setting ops
)

// keySetting holds the user as a hash: keys stay in the files of a stream until they are compacted.
func keySetting(tenant, user string) string { return "setting." + settingOf(tenant, user) }

func settingOf(tenant, user string) string {
	return schema.Token(tenant) + "." + schema.Hash([]byte(user))
}

// OpenState opens the bucket that [Ensure] made, and loads and follows it until Close. ctx bounds the
// opening. It blocks until
// everything is loaded.
func OpenState(ctx context.Context, js jetstream.JetStream, o StateOptions) (*State, error) {
	kv, err := js.KeyValue(ctx, BucketState)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", mapError(err))
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	s := &State{
		kv: kv, log: o.Log, done: make(chan struct{}), changed: make(chan struct{}), moved: make(chan struct{}), revs: map[string]uint64{},
		generations: map[int]Generation{}, settings: map[string]userSettings{}, tools: map[toolKey][]policyAt{}, toolRev: map[string]uint64{},
		base: newToolTable(o.Defaults, o.Configured),
	}
	// The watch must outlive a ctx that bounds the opening only.
	s.watch, err = kv.WatchFiltered(context.WithoutCancel(ctx), []string{keyToolAll, keySettingAll, keyGenerationAll, keyActive})
	if err != nil {
		return nil, fmt.Errorf("watch state: %w", mapError(err))
	}
	loaded := make(chan struct{})
	go s.follow(loaded)
	select {
	case <-loaded:
		return s, nil
	case <-s.done:
		return nil, schema.Retryable(schema.CodeUnavailable, 0, nil, "the watch of the state ended while it was loaded")
	case <-ctx.Done():
		s.Close()
		return nil, fmt.Errorf("load state: %w", mapError(ctx.Err()))
	}
}

// Close ends the watch; what was loaded can still be read.
func (s *State) Close() {
	_ = s.watch.Stop()
	<-s.done
}

func (s *State) follow(loaded chan<- struct{}) {
	defer close(s.done)
	for e := range s.watch.Updates() {
		if e == nil {
			if loaded != nil {
				close(loaded)
				loaded = nil
			}
			continue
		}
		s.apply(e.Key(), e.Value(), e.Revision(), e.Operation() != jetstream.KeyValuePut)
	}
}

// apply takes over one key as of revision rev; older revisions than the one known are ignored.
func (s *State) apply(key string, value []byte, rev uint64, deleted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rev <= s.revs[key] {
		return
	}
	s.revs[key] = rev
	kind, rest, _ := strings.Cut(key, ".")
	var err error
	switch kind {
	case "active":
		s.active = 0
		if !deleted {
			s.active, err = strconv.Atoi(string(value))
		}
	case "generation":
		var g Generation
		n, _ := strconv.Atoi(rest)
		delete(s.generations, n)
		if !deleted {
			if err = json.Unmarshal(value, &g); err == nil {
				s.generations[n] = g
			}
		}
	case "setting":
		var u userSettings
		delete(s.settings, rest)
		if !deleted {
			if err = json.Unmarshal(value, &u); err == nil {
				s.settings[rest] = u
			}
		}
	case "tool":
		err = s.applyTool(rest, value, deleted)
	}
	if kind == "active" || kind == "generation" {
		close(s.moved)
		s.moved = make(chan struct{})
	}
	if err != nil {
		s.log.Error("state entry is damaged and left out", "key", key, "revision", rev, "error", err)
	}
}

// Settings is what a user has switched; zero settings where nothing was. It does not block.
func (s *State) Settings(tenant, user string) schema.Settings {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.settings[settingOf(tenant, user)].Settings
}

// SetSettings makes set a user's settings as of the log entry seq, which holds them; settings of a later entry
// stay. Intake calls it right after the append; repeating it changes nothing.
func (s *State) SetSettings(ctx context.Context, tenant, user string, seq uint64, set schema.Settings) error {
	if err := schema.CheckID("user", user); err != nil {
		return err
	}
	key := keySetting(tenant, user)
	b, err := json.Marshal(userSettings{Seq: seq, Settings: set})
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	for {
		e, err := s.kv.Get(ctx, key)
		var rev uint64
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			rev, err = s.kv.Create(ctx, key, b)
		case err == nil:
			var have userSettings
			if json.Unmarshal(e.Value(), &have) == nil && have.Seq >= seq {
				s.apply(key, e.Value(), e.Revision(), false)
				return nil
			}
			rev, err = s.kv.Update(ctx, key, b, e.Revision())
		}
		if lostRace(err) {
			continue // another process was faster: look again
		}
		if err != nil {
			return fmt.Errorf("write settings: %w", mapError(err))
		}
		s.apply(key, b, rev, false)
		return nil
	}
}

// CatchUp applies the tool and setting ops of the log that did not reach the state: an intake that dies between
// the append and the Set leaves one. Every ingester calls it once at start. It reads only what no earlier call
// has, blocks until done, and applies nothing twice.
func (s *State) CatchUp(ctx context.Context, l *Log) error {
	var from uint64
	e, err := s.kv.Get(ctx, keyCaughtUp)
	switch {
	case err == nil:
		from, _ = strconv.ParseUint(string(e.Value()), 10, 64)
	case !errors.Is(err, jetstream.ErrKeyNotFound):
		return fmt.Errorf("catch up state: %w", mapError(err))
	}
	last := from
	err = l.Scan(ctx, from+1, []schema.Op{schema.OpTool, schema.OpSetting}, "", func(ev schema.Event) error {
		last = ev.Seq
		if ev.Op == schema.OpTool {
			p, err := schema.DecodeStored[schema.ToolPolicy](ev.Op, ev.Version, ev.Body)
			if err == nil {
				err = s.SetTool(ctx, ev.Tenant, ev.Seq, p)
			}
			return s.leaveOut(ev, err)
		}
		set, err := schema.DecodeStored[schema.Settings](ev.Op, ev.Version, ev.Body)
		if err == nil {
			err = s.SetSettings(ctx, ev.Tenant, ev.User, ev.Seq, set)
		}
		return s.leaveOut(ev, err)
	})
	if err != nil {
		return fmt.Errorf("catch up state: %w", err)
	}
	if last == from {
		return nil
	}
	if _, err := s.kv.Put(ctx, keyCaughtUp, strconv.AppendUint(nil, last, 10)); err != nil {
		return fmt.Errorf("catch up state: %w", mapError(err))
	}
	return nil
}

// leaveOut passes over an op that no retry mends: one odd entry must not keep all later ones from the state.
func (s *State) leaveOut(ev schema.Event, err error) error {
	if !schema.IsPermanent(err) {
		return err
	}
	s.log.Error("op is not valid and left out", "op", ev.Op, "seq", ev.Seq, "tenant", ev.Tenant, "error", err)
	return nil
}

func sortedGenerations(m map[int]Generation) []Generation {
	return slices.SortedFunc(maps.Values(m), func(a, b Generation) int { return cmp.Compare(a.Number, b.Number) })
}
