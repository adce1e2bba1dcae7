package stages

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// recorder is a publisher, sink and slot guard that writes down the order of what it is asked.
type recorder struct {
	steps     []string
	failAt    string
	conflicts int
	forgotten bool
	writes    []schema.Write
}

func (r *recorder) step(s string) error {
	if s == r.failAt {
		return errors.New("down")
	}
	r.steps = append(r.steps, s)
	return nil
}

func (r *recorder) Publish(_ context.Context, stage string, evs ...schema.Event) error {
	return r.step("publish")
}

func (r *recorder) Apply(_ context.Context, _ int, ws []schema.Write) error {
	r.writes = append(r.writes, ws...)
	for _, w := range ws {
		name := map[schema.WriteKind]string{schema.WriteUpsert: "upsert", schema.WriteInsert: "insert", schema.WriteSetPayload: "set", schema.WriteDelete: "delete"}[w.Kind]
		if err := r.step(name); err != nil {
			return err
		}
	}
	return nil
}

func (r *recorder) CompareAndSwap(context.Context, int, string, uint64) (bool, error) {
	if r.conflicts > 0 {
		r.conflicts--
		return false, r.step("conflict")
	}
	return true, r.step("swap")
}

func (r *recorder) Forgotten(context.Context, schema.Event) (bool, error) { return r.forgotten, nil }

func (r *recorder) Erased(schema.Event) bool { return false }

func (r *recorder) Archived(schema.Event) bool { return false }

func TestRunnerOrder(t *testing.T) {
	point := schema.Write{Kind: schema.WriteUpsert, Collection: schema.Passages, Point: schema.Point{ID: "p"}}
	for _, c := range []struct {
		name string
		rec  recorder
		res  schema.Result
		want []string
		fail bool
	}{
		{"points and flag in one trip", recorder{}, schema.Result{Writes: []schema.Write{point}, Done: true}, []string{"upsert", "set"}, false},
		{"flag last where events are published", recorder{}, schema.Result{Writes: []schema.Write{point}, Events: []schema.Event{{}}, Done: true}, []string{"upsert", "publish", "set"}, false},
		{"a conflict runs the stage again", recorder{conflicts: 1}, schema.Result{Writes: []schema.Write{point}, Guards: []schema.Guard{{Slot: "s"}}, Done: true}, []string{"upsert", "set", "conflict", "upsert", "set", "swap"}, false},
		{"nothing is published after a failed write", recorder{failAt: "upsert"}, schema.Result{Writes: []schema.Write{point}, Events: []schema.Event{{}}, Done: true}, nil, true},
		{"no flag after a failed publish", recorder{failAt: "publish"}, schema.Result{Writes: []schema.Write{point}, Events: []schema.Event{{}}, Done: true}, []string{"upsert"}, true},
		{"a forgotten event's points go again", recorder{forgotten: true}, schema.Result{Writes: []schema.Write{point}, Done: true}, []string{"upsert", "set", "delete"}, false},
		{"nothing decided, nothing done", recorder{}, schema.Result{}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := c.rec
			spec := Spec{Name: "x", In: InFact, Out: []schema.Op{schema.OpFact}, New: func(Deps) (Func, error) {
				return func(context.Context, schema.Event) (schema.Result, error) { return c.res, nil }, nil
			}}
			run, err := NewRunner(spec, 1, Deps{}, &rec, &rec, &rec)
			if err != nil {
				t.Fatal(err)
			}
			run.Marks = &rec
			err = run.Handle(t.Context(), schema.Event{})
			if (err != nil) != c.fail {
				t.Errorf("error %v, want one: %v", err, c.fail)
			}
			if !slices.Equal(rec.steps, c.want) {
				t.Errorf("steps %v, want %v", rec.steps, c.want)
			}
		})
	}
}

func TestRunnerKeepsPermanentErrors(t *testing.T) {
	rec := &recorder{}
	spec := Spec{Name: "x", In: InLog, New: func(Deps) (Func, error) {
		return func(context.Context, schema.Event) (schema.Result, error) {
			return schema.Result{}, schema.Invalid("user", "is bad")
		}, nil
	}}
	run, err := NewRunner(spec, 1, Deps{}, rec, rec, rec)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Handle(t.Context(), schema.Event{}); !schema.IsPermanent(err) {
		t.Errorf("the permanent error is lost on the way: %v", err)
	}
}
