package natsapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/siltstone-ai/siltstone/internal/obs"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Headers of an answer beside the services API's own.
const (
	HeaderRequest = "Silt-Request" // names the request in the server's log
	HeaderRetry   = "Retry-After"  // seconds; with an error that the same request may escape later
)

// answer works on a request and answers it.
func (s *Server) answer(r *request, subject string) {
	ctx, cancel := context.WithTimeout(s.ctx, s.Timeout)
	defer cancel()
	ctx, end := s.span(ctx, r)
	v, err := s.work(ctx, r, subject)
	var body []byte
	if err == nil {
		body, err = s.encode(v)
	}
	end(err)
	if err != nil {
		r.counts.failed.Add(1)
		s.send(r, s.refusal(ctx, r, err))
		return
	}
	s.send(r, &nats.Msg{Data: body})
}

// work runs the handler; a panic in it is an error like others.
func (s *Server) work(ctx context.Context, r *request, subject string) (v any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Logger.LogAttrs(ctx, slog.LevelError, "request panicked", slog.String("service", r.service.name), slog.String(obs.KeyRequest, r.id), slog.String("stack", string(debug.Stack())))
			v, err = nil, &schema.Error{Code: schema.CodeInternal, Message: "a fault on our side; the log names it under this request id", Retry: true}
		}
	}()
	if err := r.whose(subject); err != nil {
		return nil, err
	}
	return r.service.serve(ctx, s, r)
}

func (s *Server) encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(schema.WithLists(v)); err != nil {
		return nil, fmt.Errorf("encode reply: %w", err)
	}
	body := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if most := s.nc.MaxPayload(); int64(len(body)) > most {
		return nil, &schema.Error{Code: schema.CodeTooLarge, Field: "limit",
			Message: fmt.Sprintf("the reply has %d bytes and a message may have %d; ask for less", len(body), most)}
	}
	return body, nil
}

// refusal is err as a message. Faults of ours are logged here, and only here.
func (s *Server) refusal(ctx context.Context, r *request, err error) *nats.Msg {
	w := schema.Wire(err)
	info := w.Code.Info()
	if info.HTTP >= 500 && w.Code != schema.CodeOverloaded && w.Code != schema.CodeNoSpace { // STATS counts those, and a flood of requests is none of lines
		s.Logger.LogAttrs(ctx, slog.LevelError, "request failed", slog.String("service", r.service.name), slog.String(obs.KeyRequest, r.id),
			slog.String(obs.KeyTenant, r.tenant), slog.String(obs.KeyCode, string(w.Code)), slog.String(obs.KeyError, err.Error()))
	}
	m := &nats.Msg{Header: refusalHeaders(r.id, w, err)}
	m.Data, _ = json.Marshal(w) // strings only
	return m
}

func refusalHeaders(id string, w schema.WireError, err error) nats.Header {
	text := string(w.Code) + ": " + w.Message
	if w.Field != "" {
		text = string(w.Code) + ": " + w.Field + ": " + w.Message
	}
	h := nats.Header{
		micro.ErrorHeader:     {line(text)},
		micro.ErrorCodeHeader: {strconv.Itoa(w.Code.Info().NATS)},
		HeaderRequest:         {id},
	}
	if w.Code.Info().Retry || mayRetry(err) {
		h[HeaderRetry] = []string{strconv.Itoa(max(1, int(schema.RetryAfter(err).Seconds())))}
	}
	return h
}

// mayRetry reports whether err itself says that a retry can help.
func mayRetry(err error) bool {
	var e *schema.Error
	return errors.As(err, &e) && e.Retry
}

// send answers, where somebody waits. The message is not sent through the request, whose state the services API reads
// without a lock once its handler has returned.
func (s *Server) send(r *request, m *nats.Msg) {
	if r.reply == "" {
		return
	}
	m.Subject = r.reply
	if err := s.nc.PublishMsg(m); err != nil {
		s.Logger.LogAttrs(s.ctx, slog.LevelWarn, "request not answered", slog.String("service", r.service.name), slog.String(obs.KeyRequest, r.id),
			slog.String(obs.KeyTenant, r.tenant), slog.String(obs.KeyError, err.Error()))
	}
}

// line makes s fit to be the value of a header: one line, bounded.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	return cut(s, 512)
}

// span starts a span under the one that the request names. It tells the service, and nothing that users said.
func (s *Server) span(ctx context.Context, r *request) (context.Context, func(error)) {
	if s.Tracer == nil {
		return ctx, func(error) {}
	}
	if tp, err := r.one(events.HeaderTrace); err == nil {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{events.HeaderTrace: tp})
	}
	ctx, span := s.Tracer.Tracer("github.com/siltstone-ai/siltstone/internal/edge/natsapi").Start(ctx, r.service.subject,
		trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attribute.String("messaging.destination.name", r.service.subject)))
	return ctx, func(err error) {
		if code := schema.Wire(err).Code; err != nil && code.Info().HTTP >= 500 {
			span.SetStatus(codes.Error, string(code))
		}
		span.End()
	}
}
