package events

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Delivery is where a message came from and how often it was handed out. It travels in the context of a message
// and of a handler ([DeliveryFrom]).
type Delivery struct {
	Stream       string
	Durable      string
	Subject      string
	Sequence     uint64    // stream sequence
	NumDelivered uint64    // 1 on the first delivery; counts deliveries that no handler saw, too
	Pending      uint64    // messages of the durable behind this one, as the server knew it
	Stored       time.Time // when the stream stored it, by the server's clock
}

type deliveryKey struct{}

// DeliveryFrom returns the delivery that ctx belongs to; ok is false outside of a handler.
func DeliveryFrom(ctx context.Context) (d Delivery, ok bool) {
	l, ok := ctx.Value(deliveryKey{}).(*lease)
	if !ok {
		return Delivery{}, false
	}
	return l.delivery, true
}

// ackPrefix begins the reply subject of every message that JetStream delivers, and of nothing else.
const ackPrefix = "$JS.ACK."

// parseAck reads a delivery from the reply subject of a message: $JS.ACK.<stream>.<consumer>.<delivered>.
// <stream seq>.<consumer seq>.<nanoseconds>.<pending>, with the domain and the account hash before the stream
// and a random token at the end from servers that know them (ADR-15).
func parseAck(subject, reply string) (Delivery, error) {
	f := strings.Split(reply, ".")
	switch {
	case len(f) == 9:
		f = f[2:]
	case len(f) >= 11:
		f = f[4:]
	default:
		return Delivery{}, fmt.Errorf("read reply subject: %d tokens", len(f))
	}
	var n [4]uint64
	for i, at := range [...]int{2, 3, 5, 6} {
		v, err := strconv.ParseUint(f[at], 10, 64)
		if err != nil {
			return Delivery{}, fmt.Errorf("read reply subject: %w", err)
		}
		n[i] = v
	}
	return Delivery{
		Stream: f[0], Durable: f[1], Subject: subject,
		NumDelivered: n[0], Sequence: n[1], Stored: time.Unix(0, int64(n[2])).UTC(), Pending: n[3],
	}, nil
}
