package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The session speaks the pull protocol of JetStream (ADR-13) itself rather than through jetstream.Consumer:
//   - Consume buffers messages that no one can extend the lease of, and lets the buffer grow beyond the window
//     unless its callback blocks; Fetch subscribes anew for every batch and loses what arrives while it is
//     cancelled. Here one inbox takes exactly as many messages as were asked for, and each is held, and kept
//     alive, from the moment it arrives.
//   - both take a message with an empty body and a header "Status" for a message of the server's, and never hand
//     it out. Here only a message without a JetStream reply subject is the server's.
//   - a drained inbox gives everything back that was under way when a worker stops.
const (
	pullExpires   = 30 * time.Second
	pullHeartbeat = 2 * time.Second
	nudgeAfter    = 2 * time.Millisecond
	endTimeout    = 2 * time.Second
)

var (
	errReconnected = errors.New("connection was lost and is back")
	errSilent      = errors.New("server sends no heartbeat")
	errGone        = errors.New("consumer is gone")
)

type pullRequest struct {
	Batch     int           `json:"batch"`
	Expires   time.Duration `json:"expires"`
	Heartbeat time.Duration `json:"idle_heartbeat"`
	MaxBytes  int           `json:"max_bytes,omitempty"`
}

// session subscribes to an inbox and asks for messages as slots are free, until ctx ends or something is wrong.
func (s *subscription) session(ctx context.Context) error {
	changed := s.nc.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer s.nc.RemoveStatusListener(changed)
	s.mu.Lock()
	s.outstanding, s.askedBytes, s.tooLong, s.failed = 0, 0, false, nil
	s.mu.Unlock()
	s.seen.Store(time.Now().UnixNano())

	inbox := s.nc.NewInbox()
	ended := make(chan struct{})
	sub, err := s.nc.Subscribe(inbox+".*", func(m *nats.Msg) {
		s.seen.Store(time.Now().UnixNano())
		if strings.HasPrefix(m.Reply, ackPrefix) {
			s.deliver(m)
		} else {
			s.control(m)
		}
	})
	if err != nil {
		return fmt.Errorf("subscribe to inbox: %w", err)
	}
	sub.SetClosedHandler(func(string) { close(ended) })
	defer func() {
		s.mu.Lock()
		s.closing = ctx.Err() != nil
		s.mu.Unlock()
		if sub.Drain() != nil {
			return
		}
		t := time.NewTimer(endTimeout)
		defer t.Stop()
		select {
		case <-ended:
		case <-t.C:
		}
	}()
	if err := sub.SetPendingLimits(-1, -1); err != nil { // the window bounds them
		return fmt.Errorf("set pending limits: %w", err)
	}

	next := nextSubject(s.cfg.JS.Options(), s.stream, s.durable)
	alive := time.NewTicker(pullHeartbeat)
	defer alive.Stop()
	nudge := time.NewTimer(nudgeAfter)
	defer nudge.Stop()
	small := false
	for {
		s.mu.Lock()
		n, bytes, round, failed := 0, 0, s.round, s.failed
		if free := s.free(); failed == nil && (free >= s.low() || small && free > 0) {
			n, bytes = s.ask(min(free, s.cfg.Batch))
		}
		starved, waiting := s.outstanding == 0 && s.free() > 0 && s.fits(), s.outstanding > 0
		s.mu.Unlock()
		if failed != nil {
			return failed
		}
		small = false
		if n > 0 {
			req, err := json.Marshal(pullRequest{Batch: n, Expires: pullExpires, Heartbeat: pullHeartbeat, MaxBytes: bytes})
			if err == nil {
				err = s.nc.PublishRequest(next, inbox+"."+strconv.Itoa(round), req)
			}
			if err != nil {
				return fmt.Errorf("ask for messages: %w", err)
			}
			continue
		}
		if starved {
			// Fewer slots are free than a pull is worth, and no pull is under way: wait a moment for more.
			nudge.Reset(nudgeAfter)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		case <-nudge.C:
			small = starved
		case st := <-changed:
			if st == nats.CLOSED {
				return nats.ErrConnectionClosed
			}
			return errReconnected
		case <-alive.C:
			if waiting && time.Since(time.Unix(0, s.seen.Load())) > 2*pullHeartbeat && s.nc.IsConnected() {
				return errSilent
			}
		}
	}
}

// nextSubject is where a consumer of a client with these options is asked for messages.
func nextSubject(o jetstream.JetStreamOptions, stream, durable string) string {
	prefix := jetstream.DefaultAPIPrefix
	switch {
	case o.Domain != "":
		prefix = "$JS." + o.Domain + ".API."
	case o.APIPrefix != "":
		prefix = strings.TrimSuffix(o.APIPrefix, ".") + "."
	}
	return prefix + "CONSUMER.MSG.NEXT." + stream + "." + durable
}

// free and low need s.mu held. low is how many free slots a pull is worth.
func (s *subscription) free() int { return s.cfg.Window - len(s.held) - s.outstanding }
func (s *subscription) low() int  { return max(1, min(s.cfg.Batch, s.cfg.Window/4)) }

// ask notes a pull for up to n messages and returns what it may ask for within MaxBytes: so many messages and bytes (0
// for no bound), no message where too few bytes are free. One that is too long for all of them is asked for alone, once
// nothing else is held. It needs s.mu held.
func (s *subscription) ask(n int) (messages, bytes int) {
	free := s.freeBytes()
	switch {
	case s.cfg.MaxBytes == 0:
	case !s.fits():
		return 0, 0
	case s.tooLong:
		s.tooLong, n = false, 1
	default:
		bytes = free
	}
	s.askedBytes = s.cfg.MaxBytes - s.heldBytes // all that is free, the more so for a message that is longer
	s.outstanding += n
	return n, bytes
}

// came counts off what the pulls under way brought or will not bring. Once no message or no byte is left all of them
// have ended, and a new round begins: a pull that has used its last byte ends without a word, whatever number of messages
// it had left, and one that has brought its last message tells later what bytes it had left, which count no more by then.
// It needs s.mu held.
func (s *subscription) came(messages, bytes int) {
	s.outstanding, s.askedBytes = max(s.outstanding-messages, 0), max(s.askedBytes-bytes, 0)
	if s.outstanding == 0 || s.cfg.MaxBytes > 0 && s.askedBytes == 0 {
		s.outstanding, s.askedBytes = 0, 0
		s.round++
	}
}

// freeBytes and fits need s.mu held. fits says whether enough bytes are free for a pull.
func (s *subscription) freeBytes() int { return s.cfg.MaxBytes - s.heldBytes - s.askedBytes }

func (s *subscription) fits() bool {
	idle := len(s.held) == 0 && s.outstanding == 0
	return s.cfg.MaxBytes == 0 || idle || !s.tooLong && s.freeBytes() >= s.cfg.MaxBytes/4
}

// control handles a message of the server's about the pulls under way.
func (s *subscription) control(m *nats.Msg) {
	status, text := first(m.Header, "Status"), first(m.Header, "Description")
	left, _ := strconv.Atoi(first(m.Header, "Nats-Pending-Messages"))
	leftBytes, _ := strconv.Atoi(first(m.Header, "Nats-Pending-Bytes"))
	tooLong := false
	var err error
	switch {
	case status == "100": // heartbeat
		return
	case status == "408" || status == "409" && text == "Batch Completed": // expired or done, left over
	case status == "409" && text == "Message Size Exceeds MaxBytes":
		tooLong = true
	case status == "503":
		err = fmt.Errorf("%w: no responders", errGone)
	case status == "409" && text == "Consumer Deleted":
		err = fmt.Errorf("%w: deleted", errGone)
	default: // leadership change, server shutdown, a limit that was exceeded
		err = fmt.Errorf("server answers %s %s", status, text)
	}
	s.mu.Lock()
	if strings.HasSuffix(m.Subject, "."+strconv.Itoa(s.round)) { // a pull of an earlier one is done with
		s.came(left, leftBytes)
		s.tooLong = s.tooLong || tooLong && leftBytes >= s.cfg.MaxBytes/4
	}
	if err != nil && s.failed == nil {
		s.failed = err
	}
	s.mu.Unlock()
	poke(s.wake)
}
