package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Log appends events and answers one result for each, in order.
type Log interface {
	Append(ctx context.Context, evs []schema.Event) []events.Appended
}

// EventPoints reads the event points of uuids: the ids that the index knows already, beyond the log's own window
// of duplicates. A uuid without a point is left out of the map.
type EventPoints interface {
	EventPoints(ctx context.Context, uuids []string) (map[string]map[string]any, error)
}

// Policies stamps and keeps what tool and setting ops say.
type Policies interface {
	// PolicyRev is the log sequence of the tenant's last tool op, 0 for none.
	PolicyRev(tenant string) uint64
	SetTool(ctx context.Context, tenant string, seq uint64, p schema.ToolPolicy) error
	SetSettings(ctx context.Context, tenant, user string, seq uint64, s schema.Settings) error
}

// Config is what an intake is made of.
type Config struct {
	Log       Log
	Points    EventPoints // nil: duplicates beyond the log's window are left to the projection
	Forgotten Forgotten   // nil: nothing is ever forgotten
	Policies  Policies
	Now       func() time.Time // the clock that stamps acceptance
	NewID     func() string    // ids for events that come without one
	MaxTurn   int              // bytes of a turn; 0 means 16 MiB
	MaxSkew   time.Duration    // how far "at" may lie ahead of Now before it is clamped; 0 means 5 minutes
}

// Intake accepts events. Safe for concurrent use.
type Intake struct{ cfg Config }

// New checks cfg and returns an intake.
func New(cfg Config) (*Intake, error) {
	if cfg.Log == nil || cfg.Policies == nil || cfg.Now == nil || cfg.NewID == nil {
		return nil, errors.New("new intake: Log, Policies, Now and NewID are required")
	}
	if cfg.MaxTurn == 0 {
		cfg.MaxTurn = 16 << 20
	}
	if cfg.MaxSkew == 0 {
		cfg.MaxSkew = 5 * time.Minute
	}
	return &Intake{cfg: cfg}, nil
}

// Outcome is the answer to one event of a batch: exactly one of Accepted and Err counts.
type Outcome struct {
	schema.Accepted
	Err error
}

// Turn accepts one turn, raw being its bytes as published. It blocks until the log has it. Errors: invalid,
// too_large, conflict (the id is taken by another body), unavailable or overloaded (try again with the same id).
func (in *Intake) Turn(ctx context.Context, tenant string, raw []byte) (schema.Accepted, error) {
	return in.TurnAs(ctx, tenant, "", raw)
}

// TurnAs is Turn with the id that a turn without one gets: for a caller that may pass the same turn again. With ""
// the id is drawn.
func (in *Intake) TurnAs(ctx context.Context, tenant, id string, raw []byte) (schema.Accepted, error) {
	o := in.accept(ctx, tenant, id, [][]byte{raw})[0]
	return o.Accepted, o.Err
}

// Turns accepts many turns at once and answers each, in order. Bad ones do not touch the others.
func (in *Intake) Turns(ctx context.Context, tenant string, raws [][]byte) []Outcome {
	return in.accept(ctx, tenant, "", raws)
}

func (in *Intake) accept(ctx context.Context, tenant, id string, raws [][]byte) []Outcome {
	out := make([]Outcome, len(raws))
	evs := make([]schema.Event, 0, len(raws))
	at := make([]int, 0, len(raws)) // at[i] is the place of evs[i] in raws
	given := make([]string, 0, len(raws))
	if err := schema.CheckTenant(tenant); err != nil {
		for i := range out {
			out[i].Err = err
		}
		return out
	}
	for i, raw := range raws {
		ev, hasID, err := in.turnEvent(ctx, tenant, id, raw)
		if err != nil {
			out[i].Err = err
			continue
		}
		if hasID {
			given = append(given, ev.UUID)
		}
		evs, at = append(evs, ev), append(at, i)
	}
	in.settle(ctx, evs, at, given, out)
	return out
}

// settle answers evs into out[at[i]]: from the index, or by appending.
func (in *Intake) settle(ctx context.Context, evs []schema.Event, at []int, given []string, out []Outcome) {
	fresh, places := in.settleKnown(ctx, evs, at, given, out)
	if len(fresh) > 0 {
		for j, a := range in.cfg.Log.Append(ctx, fresh) {
			out[places[j]] = Outcome{Accepted: schema.Accepted{ID: fresh[j].ID, Seq: a.Seq, Duplicate: a.Duplicate}, Err: a.Err}
		}
	}
	in.tellForgotten(ctx, evs, at, out)
}

// turnEvent makes the log entry of one turn; hasID says whether its id would be the same another time.
func (in *Intake) turnEvent(ctx context.Context, tenant, fallback string, raw []byte) (ev schema.Event, hasID bool, err error) {
	if len(raw) > in.cfg.MaxTurn {
		return ev, false, &schema.Error{Code: schema.CodeTooLarge, Message: fmt.Sprintf("the turn is %d bytes long, at most %d are allowed", len(raw), in.cfg.MaxTurn)}
	}
	turn, err := schema.Decode[schema.Turn](raw)
	if err != nil {
		return ev, false, err
	}
	now := in.cfg.Now().UTC()
	id := cmp.Or(turn.ID, fallback)
	if hasID = id != ""; !hasID {
		id = in.cfg.NewID()
	}
	ev = in.event(ctx, tenant, turn.User, id, schema.OpTurn, raw, now)
	if !turn.At.IsZero() && !turn.At.After(now.Add(in.cfg.MaxSkew)) {
		ev.At = turn.At
	}
	ev.Class = turnClass(&turn)
	return ev, hasID, nil
}

// turnClass is the least trusted class among the parts of a turn.
func turnClass(t *schema.Turn) schema.Class {
	switch {
	case len(t.ToolResults) > 0:
		return schema.ClassTool
	case t.Response != "":
		return schema.ClassAssistant
	}
	return schema.ClassUser
}

func (in *Intake) event(ctx context.Context, tenant, user, id string, op schema.Op, body []byte, now time.Time) schema.Event {
	return schema.Event{
		Envelope: schema.Envelope{
			Version: schema.Version, UUID: schema.EventUUID(tenant, id), ID: id, Op: op, Tenant: tenant, User: user,
			At: now, Accepted: now, PolicyRev: in.cfg.Policies.PolicyRev(tenant), Class: schema.ClassUser, BodyHash: schema.Hash(body),
			Trace: events.Traceparent(ctx),
		},
		Body: body,
	}
}

// settleKnown answers the events whose id the index knows already: the same body gives the first answer again,
// another body is a conflict. When the index cannot be asked, all go on: the projection decides then.
func (in *Intake) settleKnown(ctx context.Context, evs []schema.Event, at []int, given []string, out []Outcome) ([]schema.Event, []int) {
	if in.cfg.Points == nil || len(given) == 0 {
		return evs, at
	}
	known, err := in.cfg.Points.EventPoints(ctx, given)
	if err != nil || len(known) == 0 {
		return evs, at
	}
	keptEvs, keptAt := evs[:0:0], at[:0:0]
	for i, ev := range evs {
		p, ok := known[ev.UUID]
		if !ok {
			keptEvs, keptAt = append(keptEvs, ev), append(keptAt, at[i])
			continue
		}
		if hash, _ := p[schema.KeyBodyHash].(string); hash != ev.BodyHash {
			out[at[i]].Err = &schema.Error{Code: schema.CodeConflict, Field: "id", Message: "the id is taken by an event with another body"}
			continue
		}
		seq, _ := p[schema.KeySeq].(int64)
		out[at[i]].Accepted = schema.Accepted{ID: ev.ID, Seq: uint64(seq), Duplicate: true}
	}
	return keptEvs, keptAt
}

// Tool appends a tool policy and makes it hold. Later events carry its revision; no_memory reaches back.
func (in *Intake) Tool(ctx context.Context, tenant string, p schema.ToolPolicy) (schema.Accepted, error) {
	if err := schema.CheckID("name", p.Name); err != nil {
		return schema.Accepted{}, err
	}
	acc, err := in.op(ctx, tenant, "", schema.OpTool, schema.ClassOperator, p)
	if err != nil {
		return acc, err
	}
	return acc, in.cfg.Policies.SetTool(ctx, tenant, acc.Seq, p)
}

// Settings appends what a user has switched and makes it hold.
func (in *Intake) Settings(ctx context.Context, tenant, user string, s schema.Settings) (schema.Accepted, error) {
	if err := schema.CheckID("user", user); err != nil {
		return schema.Accepted{}, err
	}
	if err := s.Validate(); err != nil {
		return schema.Accepted{}, err
	}
	acc, err := in.op(ctx, tenant, user, schema.OpSetting, schema.ClassUser, s)
	if err != nil {
		return acc, err
	}
	return acc, in.cfg.Policies.SetSettings(ctx, tenant, user, acc.Seq, s)
}

// Forget appends a forget event: the mark that stays. What it reaches goes afterwards.
func (in *Intake) Forget(ctx context.Context, tenant string, f schema.Forget) (schema.Accepted, error) {
	return in.ForgetAs(ctx, tenant, "", f)
}

// ForgetAs is Forget under an id, so that to do it again is to do nothing; "" draws one.
func (in *Intake) ForgetAs(ctx context.Context, tenant, id string, f schema.Forget) (schema.Accepted, error) {
	if err := f.Validate(); err != nil {
		return schema.Accepted{}, err
	}
	return in.write(ctx, tenant, f.User, id, schema.OpForget, schema.ClassUser, f)
}

// Archive appends an archive event. The turns that it names are pruned afterwards.
func (in *Intake) Archive(ctx context.Context, tenant string, a schema.Archive) (schema.Accepted, error) {
	if err := a.Validate(); err != nil {
		return schema.Accepted{}, err
	}
	return in.op(ctx, tenant, a.User, schema.OpArchive, schema.ClassUser, a)
}

// Erase appends an entry of an erasure. It is the operator's, and of no user.
func (in *Intake) Erase(ctx context.Context, tenant string, e schema.Erasure) (schema.Accepted, error) {
	if err := e.Validate(); err != nil {
		return schema.Accepted{}, err
	}
	return in.op(ctx, tenant, "", schema.OpErase, schema.ClassOperator, e)
}

// op appends one entry that is not a turn.
func (in *Intake) op(ctx context.Context, tenant, user string, op schema.Op, class schema.Class, body any) (schema.Accepted, error) {
	return in.write(ctx, tenant, user, "", op, class, body)
}
