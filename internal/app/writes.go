package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/internal/intake"
	"github.com/siltstone-ai/siltstone/internal/upkeep"
	"github.com/siltstone-ai/siltstone/pkg/events"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// newIntake builds the write side.
func (a *app) newIntake() error {
	var log intake.Log = a.eventLog
	if a.diskFault != nil && a.cfg.NATS.URL == "" {
		log = roomyLog{log, a.diskFault}
	}
	a.lag.most = uint64(a.cfg.Pipeline.MaxLag)
	log = laggingLog{log, &a.lag}
	log = heldLog{log, a.witness.State, refuseHeld(a.witness)}
	var err error
	a.intake, err = intake.New(intake.Config{
		Log: log, Points: known{a.points, a.active},
		Forgotten: &upkeep.Again{Marks: a.marks, Points: a.points, Entries: a.eventLog, Active: a.active},
		Policies:  a.state, Now: time.Now, NewID: newID, MaxTurn: a.cfg.HTTP.MaxTurn,
	})
	if err != nil {
		return fmt.Errorf("build intake: %w", err)
	}
	return nil
}

// newID draws an id for an event that came without one: 128 random bits.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}

// publisher is the write side as the HTTP edge calls it.
type publisher struct{ *intake.Intake }

func (p publisher) Publish(ctx context.Context, tenant string, raws [][]byte) ([]schema.Accepted, []error) {
	out := p.Turns(ctx, tenant, raws)
	acc, errs := make([]schema.Accepted, len(out)), make([]error, len(out))
	for i, o := range out {
		acc[i], errs[i] = o.Accepted, o.Err
	}
	return acc, errs
}

// plain is the handler of SILT_IN: the same function for those who publish and do not wait. What intake refuses
// for good is a permanent error, so the bus moves it to the dead letters.
func (a *app) plain(ctx context.Context, ev schema.Event) error {
	_, err := a.intake.TurnAs(ctx, ev.Tenant, ev.ID, ev.Body)
	return err
}

// decodePlain reads a message of SILT_IN: the tenant is in the subject, the body is the turn, and no header is
// believed but the claim of a large body. A turn without an id gets one from where the message lies, the same at
// every delivery; sequences begin anew with a stream, so the time is in it, too.
func decodePlain(d events.Delivery, _ nats.Header, body []byte) (schema.Event, error) {
	tenant, ok := events.TenantOf(d.Subject)
	if !ok {
		return schema.Event{}, schema.Invalid("subject", "is not silt.in.<tenant>")
	}
	return schema.Event{Envelope: schema.Envelope{ID: plainID(d.Stored.UnixNano(), d.Sequence), Tenant: tenant, Op: schema.OpTurn}, Body: body}, nil
}

// plainID is the id of a turn without one, by where its message lies.
func plainID(stored int64, seq uint64) string { return fmt.Sprintf("in-%d-%d", stored, seq) }

// Tools implements httpapi.Tools.
func (a *app) Tools(tenant string) []schema.ToolDef { return a.state.Tools(tenant) }

// SetTool implements httpapi.Tools.
func (a *app) SetTool(ctx context.Context, tenant string, p schema.ToolPolicy) (schema.ToolDef, error) {
	if err := a.cleaner.Check(p); err != nil {
		return schema.ToolDef{}, err
	}
	acc, err := a.intake.Tool(ctx, tenant, p)
	if err != nil {
		return schema.ToolDef{}, err
	}
	def, _ := a.state.Policy(tenant, p.Name, acc.Seq)
	return def, nil
}

// Settings implements httpapi.Settings.
func (a *app) Settings(_ context.Context, tenant, user string) (schema.Settings, error) {
	return a.state.Settings(tenant, user), nil
}

// SetSettings implements httpapi.Settings.
func (a *app) SetSettings(ctx context.Context, tenant, user string, s schema.Settings) error {
	_, err := a.intake.Settings(ctx, tenant, user, s)
	return err
}

// wishes is the write side as stages call it, for what users ask for in passing.
type wishes struct{ *intake.Intake }

// ForgetAs implements stages.Forgetter. What was appended first stands, whatever is found by now.
func (w wishes) ForgetAs(ctx context.Context, ev schema.Event, f schema.Forget) error {
	_, err := w.Intake.ForgetAs(ctx, ev.Tenant, "wish-"+ev.UUID, f)
	if schema.CodeOf(err) == schema.CodeConflict {
		return nil
	}
	return err
}
