package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// maxInjections bounds the record of one conversation: the oldest blocks leave it first.
const maxInjections = 512

// Injection is one block that was made for a turn of a conversation. All of it are fingerprints, as the user and the
// conversation in its key are: no text and no id of a client is kept.
type Injection struct {
	Turn string   `json:"t"` // the turn that asked
	Ask  string   `json:"a"` // what it asked; "" for a block that is not to be made again
	Held []string `json:"h"` // the memories in the block
}

// Injected remembers in the bucket SILT_STATE which memories the blocks of a conversation held. A record expires with
// the time that was given since the conversation's last block. It is safe for concurrent use, also by several
// processes.
type Injected struct {
	js  jetstream.JetStream
	kv  jetstream.KeyValue
	ttl time.Duration
}

// OpenInjected opens the bucket that [Ensure] made. ttl is at least a second.
func OpenInjected(ctx context.Context, js jetstream.JetStream, ttl time.Duration) (*Injected, error) {
	kv, err := js.KeyValue(ctx, BucketState)
	if err != nil {
		return nil, fmt.Errorf("open record of injections: %w", mapError(err))
	}
	return &Injected{js: js, kv: kv, ttl: max(ttl, time.Second)}, nil
}

func keyInjected(tenant, user, conversation string) string {
	return keyInjectedOf(tenant, user) + "." + schema.Hash([]byte(user+"\x00"+conversation)) // ids hold no NUL
}

// keyInjectedOf is what the keys of all conversations of a user begin with, but for the dot.
func keyInjectedOf(tenant, user string) string {
	return "injected." + schema.Token(tenant) + "." + schema.Hash([]byte(user))
}

// Injections are the blocks of a conversation, first to last. It blocks until ctx ends at most.
func (x *Injected) Injections(ctx context.Context, tenant, user, conversation string) ([]Injection, error) {
	ins, _, err := x.read(ctx, keyInjected(tenant, user, conversation))
	return ins, err
}

func (x *Injected) read(ctx context.Context, key string) (ins []Injection, rev uint64, err error) {
	e, err := x.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read record of injections: %w", mapError(err))
	}
	if err := json.Unmarshal(e.Value(), &ins); err != nil {
		return nil, e.Revision(), nil // written by another build: it says nothing, and the next block replaces it
	}
	return ins, e.Revision(), nil
}

// AddInjection records a block, durably. What was recorded for the same turn and question stays; without a question
// the block is one more.
func (x *Injected) AddInjection(ctx context.Context, tenant, user, conversation string, in Injection) error {
	key := keyInjected(tenant, user, conversation)
	for {
		ins, rev, err := x.read(ctx, key)
		if err != nil {
			return err
		}
		for _, old := range ins {
			if in.Ask != "" && old.Turn == in.Turn && old.Ask == in.Ask {
				return nil
			}
		}
		ins = append(ins, in)
		b, err := json.Marshal(ins[max(0, len(ins)-maxInjections):])
		if err != nil {
			return fmt.Errorf("encode record of injections: %w", err)
		}
		if rev == 0 {
			_, err = x.kv.Create(ctx, key, b, jetstream.KeyTTL(x.ttl))
		} else { // an Update takes no time to live: this is what it publishes, with one
			_, err = x.js.Publish(ctx, "$KV."+BucketState+"."+key, b,
				jetstream.WithMsgTTL(x.ttl), jetstream.WithExpectLastSequencePerSubject(rev))
		}
		if !lostRace(err) { // another process was faster: look again
			return mapError(err)
		}
	}
}
