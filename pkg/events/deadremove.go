package events

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// RemoveDead removes those dead letters of a tenant that gone picks, and overwrites them where they stood. With a letter
// goes the body that it claims, unless that is the log's or another letter's: of a work message always, of what intake
// refused where it lies under the name that [Blobs.Encode] gives it. gone gets claims of work messages unresolved, and
// what intake refused whole, as far as it is there and has at most maxBody bytes. Doing it again changes nothing. It
// blocks until done and reads all dead letters of the tenant, and for refused bodies the headers of their users' turns.
func (b *Blobs) RemoveDead(ctx context.Context, tenant string, maxBody int64, gone func(DeadLetter) bool) error {
	return b.removeDead(ctx, tenant, dlqFilter(tenant), maxBody, gone)
}

// removeDead is RemoveDead among the letters that match filter.
func (b *Blobs) removeDead(ctx context.Context, tenant, filter string, maxBody int64, gone func(DeadLetter) bool) error {
	s, err := b.js.Stream(ctx, StreamDLQ)
	if err != nil {
		return fmt.Errorf("open dead letters: %w", mapError(err))
	}
	var late []uint64              // letters that go once it is known what becomes of their bodies
	refused := map[string]string{} // users by the names of those bodies
	kept := map[string]bool{}      // names of bodies that other letters claim
	err = walk(ctx, b.js, StreamDLQ, 1, []string{filter}, false, func(seq uint64, m jetstream.Msg) error {
		md, err := m.Metadata()
		if err != nil {
			return err
		}
		d, err := ParseDeadLetter(m.Headers(), m.Data(), md.Timestamp)
		if err != nil {
			return nil // not one of ours: whoever put it there knows what it is
		}
		d.ID, _ = DeadID(m.Subject())
		if d.Stream == StreamIn {
			if err := b.resolveRefused(ctx, m.Headers(), maxBody, &d.Event); err != nil {
				return err
			}
		}
		goes := gone(d)
		switch d.Stream {
		case StreamIn:
			if name, _, err := parseClaim(m.Headers()[HeaderClaim]); err == nil {
				if !goes {
					kept[name] = true
				} else if user, own := refusedUser(tenant, name, d.Event.Body); own {
					refused[name] = user
					late = append(late, seq)
					return nil
				}
			}
		case StreamLog:
		default: // the body first: without the letter nothing would lead to it
			if goes {
				if name, _, err := parseClaim(m.Headers()[HeaderClaim]); err == nil {
					if err := b.erase(ctx, name); err != nil {
						return err
					}
				}
			}
		}
		if !goes {
			return nil
		}
		return deleteLetter(ctx, s, seq)
	})
	if err != nil {
		return fmt.Errorf("look through the dead letters: %w", err)
	}
	maps.DeleteFunc(refused, func(name, _ string) bool { return kept[name] })
	if err := b.deleteRefused(ctx, tenant, refused); err != nil {
		return fmt.Errorf("delete what intake refused: %w", err)
	}
	for _, seq := range late {
		if err := deleteLetter(ctx, s, seq); err != nil {
			return err
		}
	}
	return nil
}

// resolveRefused puts the body that a letter of SILT_IN claims into ev, unless it is gone, damaged or longer than any turn
// may be: anybody may have stored that.
func (b *Blobs) resolveRefused(ctx context.Context, h nats.Header, maxBody int64, ev *schema.Event) error {
	size, err := b.Size(ctx, h)
	if err == nil && size <= maxBody {
		var body []byte
		if body, err = b.Resolve(ctx, h, ev.Body); err == nil {
			ev.Body = body
		}
	}
	if err != nil && !schema.IsPermanent(err) && schema.CodeOf(err) != schema.CodeNotFound {
		return err
	}
	return nil
}

// refusedUser is whose body it is that intake refused and that lies under name. own is false where that is not the name
// of this body and of its event: what lies there may be anybody's, another tenant's too.
func refusedUser(tenant, name string, body []byte) (user string, own bool) {
	var t struct {
		ID   string `json:"id"`
		User string `json:"user"`
	}
	_ = json.Unmarshal(body, &t) // fields of another type are left out, the rest is read
	ev := schema.Event{Envelope: schema.Envelope{UUID: schema.EventUUID(tenant, t.ID)}}
	return t.User, t.ID != "" && t.User != "" && name == blobName(stageRaw, ev, schema.Hash(body))
}

// deleteRefused deletes bodies by name, but for those that an entry of the log claims: of a message that intake appended
// and could not acknowledge. An entry of the log has the body of its own event alone.
func (b *Blobs) deleteRefused(ctx context.Context, tenant string, users map[string]string) error {
	byUser := map[string]bool{}
	for _, u := range users {
		byUser[u] = true
	}
	for _, u := range slices.Sorted(maps.Keys(byUser)) {
		err := walk(ctx, b.js, StreamLog, 1, []string{LogSubject(tenant, u, schema.OpTurn)}, true, func(_ uint64, m jetstream.Msg) error {
			if name, _, err := parseClaim(m.Headers()[HeaderClaim]); err == nil {
				delete(users, name)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("look for claims in the log: %w", err)
		}
	}
	for name := range users {
		if err := b.erase(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// deleteLetter overwrites and removes a dead letter; one that is gone is removed.
func deleteLetter(ctx context.Context, s jetstream.Stream, seq uint64) error {
	if err := overwrite(ctx, s, seq); err != nil {
		return fmt.Errorf("delete dead letter %d: %w", seq, err)
	}
	return nil
}
