package events

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// RemoveDead removes those dead letters of a tenant that gone picks, and overwrites them where they stood. With a letter
// of a work message goes the body that it claims; one that the log claims, or intake would have claimed, belongs to the
// log. gone gets claims of work messages unresolved and what intake refused whole, as far as it is there. Doing it again
// changes nothing. It blocks until done and reads all dead letters of the tenant.
func (b *Blobs) RemoveDead(ctx context.Context, tenant string, gone func(DeadLetter) bool) error {
	s, err := b.js.Stream(ctx, StreamDLQ)
	if err != nil {
		return fmt.Errorf("open dead letters: %w", mapError(err))
	}
	err = walk(ctx, b.js, StreamDLQ, 1, []string{dlqFilter(tenant)}, false, func(seq uint64, m jetstream.Msg) error {
		md, err := m.Metadata()
		if err != nil {
			return err
		}
		d, err := ParseDeadLetter(m.Headers(), m.Data(), md.Timestamp)
		if err != nil {
			return nil // not one of ours: whoever put it there knows what it is
		}
		if d.Stream == StreamIn {
			switch body, err := b.Resolve(ctx, m.Headers(), m.Data()); {
			case err == nil:
				d.Event.Body = body
			case !schema.IsPermanent(err) && schema.CodeOf(err) != schema.CodeNotFound:
				return err
			}
		}
		if !gone(d) {
			return nil
		}
		// The body first: without the letter nothing would lead to it.
		if d.Stream != StreamLog && d.Stream != StreamIn {
			if err := b.Delete(ctx, m.Headers()); err != nil {
				return err
			}
		}
		err = s.SecureDeleteMsg(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) { // another process may have been faster
			if _, look := s.GetMsg(ctx, seq); errors.Is(look, jetstream.ErrMsgNotFound) {
				err = nil
			}
		}
		if err != nil {
			return fmt.Errorf("delete dead letter %d: %w", seq, mapError(err))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look through the dead letters: %w", err)
	}
	return nil
}
