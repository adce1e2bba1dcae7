package events

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Acknowledgements as they go to a message's reply subject.
var (
	ackBody      = []byte("+ACK")
	nakBody      = []byte("-NAK")
	progressBody = []byte("+WPI")
)

func nakDelayBody(d time.Duration) []byte {
	return append(strconv.AppendInt([]byte(`-NAK {"delay": `), d.Nanoseconds(), 10), '}')
}

func termBody(reason string) []byte { return append([]byte("+TERM "), oneLine(reason, 256)...) }

// lease is one message that this process holds: delivered, and not yet given an answer. Exactly one answer is
// ever sent, and no sign of life after it: a late one would undo the delay of a NAK.
type lease struct {
	sub      *subscription
	raw      *nats.Msg
	delivery Delivery
	size     int // bytes, as the server counts them
	msg      *message.Message
	ctx      context.Context // of the handler, without the values that others added
	cancel   context.CancelFunc
	gone     chan struct{} // closed once the answer was sent
	since    time.Time
	link     uint64       // incarnation of the connection that delivered it
	event    schema.Event // decoded for the router
	err      error        // of decoding it

	mu      sync.Mutex
	settled bool

	// Of the router.
	account   account // see quarantine
	alone     bool    // it is a suspect, and nothing else runs
	overtaken bool    // see handler.hold
}

// watch waits for the answer to the message and sends it on: one goroutine a message, where the router does not
// answer itself.
func (l *lease) watch() {
	select {
	case <-l.msg.Acked():
		l.answer(ackBody)
	case <-l.msg.Nacked():
		l.giveUp(l.sub.cfg.Backoff.Delay(l.delivery.NumDelivered))
	case <-l.ctx.Done(): // cut off: the answer may still come
		select {
		case <-l.msg.Acked():
			l.answer(ackBody)
		case <-l.msg.Nacked():
			l.giveUp(0)
		case <-l.gone:
		}
	case <-l.gone:
	}
}

// giveUp has the message delivered again after d.
func (l *lease) giveUp(d time.Duration) { l.answer(nakDelayBody(max(d, time.Millisecond))) }

// giveBack answers for a message that no handler took, or that a handler did not finish in time: another worker
// gets it at once.
func (l *lease) giveBack() { l.answer(nakBody) }

// answer sends the one answer and frees the slot; later ones do nothing.
func (l *lease) answer(body []byte) {
	if !l.settle(body) {
		return
	}
	close(l.gone)
	l.cancel()
	l.sub.release(l)
}

// settle sends the one answer; false where one was sent before.
//
// A message is settled only over the incarnation of the connection that delivered it. The server may have been
// restarted in between, and with it may have gone what the handler published to a memory stream: the message is
// asked for again instead.
func (l *lease) settle(body []byte) bool {
	l.mu.Lock()
	if l.settled {
		l.mu.Unlock()
		return false
	}
	l.settled = true
	if body[0] == '+' && l.sub.nc.Stats().Reconnects != l.link {
		body = nakBody
	}
	var err error
	double := l.sub.cfg.DoubleAck && body[0] == '+'
	if !double {
		err = l.sub.nc.Publish(l.raw.Reply, body)
	}
	l.mu.Unlock()
	if double {
		ctx, cancel := context.WithTimeout(context.Background(), ackTimeout)
		defer cancel()
		_, err = l.sub.nc.RequestWithContext(ctx, l.raw.Reply, body)
	}
	if err != nil { // the message comes again after AckWait; handlers are idempotent
		l.sub.cfg.Metrics.ackError(l.sub.name)
		l.sub.fault("acknowledge message", err)
	}
	return true
}

// beat tells the server that the message is still being worked on.
func (l *lease) beat() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.settled {
		return nil
	}
	return l.sub.nc.Publish(l.raw.Reply, progressBody)
}
