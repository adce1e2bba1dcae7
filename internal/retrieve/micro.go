package retrieve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// defaultTenant is the tenant of a request without the header.
const defaultTenant = "default"

// Querier answers queries; [Service] does.
type Querier interface {
	Query(ctx context.Context, tenant string, q schema.Query) (schema.Reply, error)
}

// MicroConfig of the NATS service.
type MicroConfig struct {
	Concurrent int    // queries worked on at once; beyond it the answer is an overload error, never a queue
	Version    string // SemVer of the build
}

// Micro is the NATS service silt-query. The services API calls a handler for one request at a time, so the handler
// here hands each on to a goroutine, up to a bound.
type Micro struct {
	nc     *nats.Conn
	svc    micro.Service
	q      Querier
	log    *slog.Logger
	slots  chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	times  histogram
	over   atomic.Uint64
}

// Serve registers the service and its endpoint at [events.SubjectQuery] in the queue group silt-query, so that any
// number of retrievers share the requests. The tenant is the header Silt-Tenant, "default" without one; who may
// set it is a matter of the NATS accounts.
func Serve(nc *nats.Conn, q Querier, cfg MicroConfig, log *slog.Logger) (*Micro, error) {
	if cfg.Concurrent < 1 {
		return nil, errors.New("serve queries: concurrent: must be at least 1")
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &Micro{nc: nc, q: q, log: log, slots: make(chan struct{}, cfg.Concurrent), ctx: ctx, cancel: cancel}
	svc, err := micro.AddService(nc, micro.Config{
		Name: "silt-query", Version: cfg.Version, QueueGroup: "silt-query",
		Description: "answers queries to the memory of a user",
		Endpoint: &micro.EndpointConfig{
			Subject: events.SubjectQuery, Handler: micro.HandlerFunc(m.handle),
			Metadata: map[string]string{"request": "Query", "reply": "Reply"},
		},
		StatsHandler: func(*micro.Endpoint) any { return m.Stats() },
		ErrorHandler: func(_ micro.Service, e *micro.NATSError) {
			log.Error("query service", "subject", e.Subject, obs.KeyError, e)
		},
	})
	if err != nil {
		cancel()
		return nil, fmt.Errorf("add service silt-query: %w", err)
	}
	// Requests of other accounts arrive here: the server has put the account's token, which is the tenant's, into the
	// subject, and nothing in the request can change it.
	err = svc.AddEndpoint("tenant", micro.HandlerFunc(m.handle), micro.WithEndpointSubject(events.SubjectQuery+".*"))
	if err != nil {
		cancel()
		return nil, fmt.Errorf("add service silt-query: %w", errors.Join(err, svc.Stop()))
	}
	if err := nc.Flush(); err != nil { // the server knows the subscriptions from here on
		cancel()
		return nil, fmt.Errorf("add service silt-query: %w", errors.Join(err, svc.Stop()))
	}
	m.svc = svc
	return m, nil
}

// Close stops taking requests and waits for those at work until ctx ends, then cancels them.
func (m *Micro) Close(ctx context.Context) error {
	err := m.svc.Stop()
	done := make(chan struct{})
	go func() { m.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	m.cancel()
	return err
}

func (m *Micro) handle(r micro.Request) {
	select {
	case m.slots <- struct{}{}:
	default:
		m.over.Add(1)
		m.refuse(r, &schema.Error{Code: schema.CodeOverloaded, Message: "too many queries at once", Retry: true})
		return
	}
	m.wg.Go(func() {
		defer func() { <-m.slots }()
		start := time.Now()
		m.answer(r)
		m.times.add(time.Since(start))
	})
}

func (m *Micro) answer(r micro.Request) {
	defer func() {
		if p := recover(); p != nil {
			m.log.Error("query handler panicked", "panic", fmt.Sprintf("%T", p))
			m.refuse(r, &schema.Error{Code: schema.CodeInternal, Message: "the query failed", Retry: true})
		}
	}()
	q, err := schema.Decode[schema.Query](r.Data())
	if err != nil {
		m.refuse(r, err)
		return
	}
	tenant, err := tenantOf(r)
	if err != nil {
		m.refuse(r, err)
		return
	}
	reply, err := m.q.Query(m.ctx, tenant, q)
	if err != nil {
		m.refuse(r, err)
		return
	}
	b, err := json.Marshal(reply)
	if err != nil {
		m.refuse(r, fmt.Errorf("encode reply: %w", err))
		return
	}
	if most := m.nc.MaxPayload(); int64(len(b)) > most {
		m.refuse(r, &schema.Error{Code: schema.CodeTooLarge, Field: "limit",
			Message: fmt.Sprintf("the reply has %d bytes and a message may have %d; ask for fewer items", len(b), most)})
		return
	}
	if err := r.Respond(b); err != nil {
		m.log.Warn("answer query", obs.KeyTenant, tenant, obs.KeyError, err)
	}
}

// tenantOf is whose memory a request speaks of: by the subject for another account's, else by the header, which the
// operator's account alone can send.
func tenantOf(r micro.Request) (string, error) {
	tenant := r.Headers().Get(events.HeaderTenant)
	if tok, ok := strings.CutPrefix(r.Subject(), events.SubjectQuery+"."); ok {
		if tenant, ok = schema.Untoken(tok); !ok {
			return "", schema.Invalid("subject", "does not end in the token of a tenant")
		}
	}
	if tenant == "" {
		return defaultTenant, nil
	}
	return tenant, schema.CheckTenant(tenant)
}

// refuse answers with the error in the headers Nats-Service-Error and -Code and, whole, in the body.
func (m *Micro) refuse(r micro.Request, err error) {
	w := schema.WireError{Code: schema.CodeOf(err), Message: "the query failed"}
	var e *schema.Error
	if errors.As(err, &e) {
		w.Message, w.Field = e.Message, e.Field
	} else {
		m.log.Error("query failed", obs.KeyError, err)
	}
	status := w.Code.Info().NATS
	body, _ := json.Marshal(w)
	text := string(w.Code) + ": " + w.Message
	if w.Field != "" {
		text = string(w.Code) + ": " + w.Field + ": " + w.Message
	}
	if err := r.Error(strconv.Itoa(status), header(text), body); err != nil {
		m.log.Warn("refuse query", obs.KeyError, err)
	}
}

// header makes s fit to be the value of a header: one line, bounded.
func header(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return ' '
		}
		return r
	}, s)
	if len(s) > 512 {
		s = strings.ToValidUTF8(s[:512], "")
	}
	return s
}

// Stats of the service: the services API itself measures only how long a request takes to be handed on.
type Stats struct {
	Answered   uint64            `json:"answered"`   // also with an error
	Overloaded uint64            `json:"overloaded"` // refused at once
	Working    int               `json:"working"`    // at this moment
	UnderMS    map[string]uint64 `json:"under_ms"`   // how many were answered within so many milliseconds, cumulative
}

// Stats returns the counts since Serve.
func (m *Micro) Stats() Stats {
	s := Stats{Overloaded: m.over.Load(), Working: len(m.slots), UnderMS: map[string]uint64{}}
	for i, ms := range bounds {
		s.Answered += m.times[i].Load()
		s.UnderMS[strconv.Itoa(ms)] = s.Answered
	}
	s.Answered += m.times[len(bounds)].Load()
	return s
}

var bounds = [...]int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000}

type histogram [len(bounds) + 1]atomic.Uint64

func (h *histogram) add(d time.Duration) {
	for i, ms := range bounds {
		if d <= time.Duration(ms)*time.Millisecond {
			h[i].Add(1)
			return
		}
	}
	h[len(bounds)].Add(1)
}
