package events

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// world is what a test knows of the truth, beside the server: which effects each event needs, which it had, and
// which of its messages are open. Everything is marked settled before the acknowledgement is sent, so that what
// the server takes for settled is settled here.
type world struct {
	mu     sync.Mutex
	events map[uint64]*truth // by log sequence
}

type truth struct {
	cleaned bool            // clean acknowledged it
	open    map[string]bool // "<message id> <stage>": stored or about to be, not yet acknowledged
	effects map[string]bool // "<message id> <stage>" that ran
}

func (w *world) of(seq uint64) *truth {
	t := w.events[seq]
	if t == nil {
		t = &truth{open: map[string]bool{}, effects: map[string]bool{}}
		w.events[seq] = t
	}
	return t
}

// publishing notes the obligations that a message brings, before it is published.
func (w *world) publishing(ev schema.Event, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range workStages {
		if k := id + " " + s.stage; s.op == ev.Op && !w.of(ev.Seq).effects[k] {
			w.of(ev.Seq).open[k] = true
		}
	}
}

func (w *world) settle(seq uint64, id, stage string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.of(seq)
	if stage == StageClean {
		t.cleaned = true
		return
	}
	delete(t.open, id+" "+stage)
	t.effects[id+" "+stage] = true
}

// firstOpen is the first sequence up to last that is not settled, 0 for none.
func (w *world) firstOpen(last uint64) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	for seq := uint64(1); seq <= last; seq++ {
		if t := w.of(seq); !t.cleaned || len(t.open) > 0 {
			return seq
		}
	}
	return 0
}

// derives says, from the event alone, what clean and distill make of it.
func derives(seq uint64) (cleaned, explicit, fact bool) {
	switch seq % 5 {
	case 0:
		return false, false, false // dropped by policy
	case 1:
		return false, true, false // an explicit write: clean publishes a fact
	case 2:
		return true, false, false
	}
	return true, false, true
}

// wanted lists every effect that the events up to last must have had in the end.
func wanted(evs []schema.Event, seqs []uint64) map[string]uint64 {
	w := map[string]uint64{}
	for i, seq := range seqs {
		cleaned, explicit, fact := derives(seq)
		if cleaned {
			for _, s := range []string{StageVectorize, StageExtract, StageDistill} {
				w[MsgID(StageClean, 1, evs[i].UUID, seq, 0)+" "+s] = seq
			}
		}
		if explicit {
			w[MsgID(StageClean, 1, evs[i].UUID, seq, 0)+" "+StageDecide] = seq
		}
		if fact {
			w[MsgID(StageDistill, 1, evs[i].UUID, seq, 0)+" "+StageDecide] = seq
		}
	}
	return w
}

// process is one worker process of all stages over its own connection: handlers take random times, some die
// before they acknowledge, and its stamps are as old as its last reading.
type process struct {
	t     testing.TB
	js    jetstream.JetStream
	w     *world
	floor *Floor
	seed  uint64
	n     atomic.Int64
}

func (p *process) run(ctx context.Context, wg *sync.WaitGroup) {
	specs := append([]ConsumerSpec{DefaultTopology().clean(1)}, DefaultTopology().WorkConsumers(1)...)
	for i, c := range specs {
		rnd := rand.New(rand.NewPCG(p.seed, uint64(i)))
		wg.Go(func() { p.stage(ctx, c, rnd, wg) })
	}
	wg.Go(func() {
		rnd := rand.New(rand.NewPCG(p.seed, 99))
		for ctx.Err() == nil {
			_, _ = p.floor.Read(ctx) // refreshes the stamps, as Run does
			pause(ctx, rnd.IntN(40))
		}
	})
}

// pause lets up to n milliseconds pass: a handler's work, not a wait for anything.
func pause(ctx context.Context, n int) {
	select {
	case <-time.After(time.Duration(n) * time.Millisecond):
	case <-ctx.Done():
	}
}

func (p *process) stage(ctx context.Context, spec ConsumerSpec, rnd *rand.Rand, wg *sync.WaitGroup) {
	name := stageOf(spec.Config.Durable)
	for ctx.Err() == nil {
		c, err := p.js.Consumer(ctx, spec.Stream, spec.Config.Durable)
		if err != nil {
			pause(ctx, 5)
			continue
		}
		b, err := c.Fetch(8, jetstream.FetchMaxWait(50*time.Millisecond))
		if err != nil {
			pause(ctx, 5)
			continue
		}
		for m := range b.Messages() {
			work, dies := rnd.IntN(12), rnd.IntN(8) == 0
			if rnd.IntN(12) == 0 {
				work = 120 // a slow one, overtaken by many
			}
			wg.Go(func() { p.handle(ctx, name, m, work, dies) })
		}
	}
}

func (p *process) handle(ctx context.Context, stage string, m jetstream.Msg, work int, dies bool) {
	md, err := m.Metadata()
	if err != nil {
		p.t.Error(err)
		return
	}
	ev, err := Decode(m.Headers(), m.Data(), md.Sequence.Stream)
	if err != nil {
		p.t.Error(err)
		return
	}
	cleaned, explicit, fact := derives(ev.Seq)
	pause(ctx, work)
	var out *schema.Event
	switch {
	case stage == StageClean && (cleaned || explicit), stage == StageDistill && fact:
		d := ev
		d.Generation, d.Op = 1, schema.OpFact
		if stage == StageClean && cleaned {
			d.Op = schema.OpCleaned
		}
		out = &d
	}
	if out != nil {
		if !p.publish(ctx, stage, *out, work) {
			_ = m.NakWithDelay(time.Millisecond)
			return
		}
	}
	pause(ctx, work/2)
	if ctx.Err() != nil {
		return // killed before it acknowledged
	}
	if dies {
		_ = m.NakWithDelay(time.Millisecond)
		return
	}
	id := ""
	if stage != StageClean {
		id = m.Headers().Get(jetstream.MsgIDHeader)
	}
	p.w.settle(ev.Seq, id, stage)
	_ = m.Ack()
	p.n.Add(1)
}

func (p *process) publish(ctx context.Context, stage string, ev schema.Event, work int) bool {
	id := MsgID(stage, 1, ev.UUID, ev.Seq, 0)
	p.floor.Stamp(&ev.Envelope)
	pause(ctx, work) // a stamp may be old by the time the message is stored
	h := Headers(ev.Envelope)
	h[jetstream.MsgIDHeader] = []string{id}
	p.w.publishing(ev, id)
	_, err := p.js.PublishMsg(ctx, &nats.Msg{Subject: WorkSubject(1, ev.Op, ev.Tenant, ev.User), Header: h, Data: ev.Body})
	return err == nil
}

// The floor, read all the time by several processes while others work, never passes an event that is not settled,
// and reaches the end of the log once everything is.
func TestFloorNeverPassesAnOpenEvent(t *testing.T) {
	for round := range 2 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			ctx, s, js := ensured(t)
			w := &world{events: map[uint64]*truth{}}
			l := openLog(t, ctx, js)
			work, stop := context.WithCancel(ctx)
			var wg sync.WaitGroup
			for i := range 3 {
				pjs := eventstest.JetStream(t, s)
				f, err := OpenFloor(ctx, pjs, 1, FloorOptions{})
				if err != nil {
					t.Fatal(err)
				}
				p := &process{t: t, js: pjs, w: w, floor: f, seed: uint64(round*10 + i)}
				p.run(work, &wg)
			}
			evs := turnEvents(300, "a")
			var last uint64
			reads, moved := 0, map[uint64]bool{}
			f, err := OpenFloor(ctx, js, 1, FloorOptions{})
			if err != nil {
				t.Fatal(err)
			}
			rnd := rand.New(rand.NewPCG(uint64(round), 7))
			f.between = func() { pause(ctx, rnd.IntN(8)) }
			check := func() uint64 {
				n, err := f.Read(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if open := w.firstOpen(n); open != 0 {
					t.Fatalf("floor %d, but %d is open", n, open)
				}
				reads++
				moved[n] = true
				return n
			}
			for i := 0; i < len(evs); i += 3 {
				seqs := mustAppend(t, ctx, l, evs[i:i+3]...)
				last = seqs[2]
				for end := time.Now().Add(15 * time.Millisecond); time.Now().Before(end); { // events keep coming, not all at once
					check()
				}
			}
			if len(moved) < 6 {
				t.Errorf("the floor stood at %d places in %d readings: it does not move while there is work", len(moved), reads)
			}
			eventstest.Eventually(t, patience, "the floor reaches the end", func() bool { return check() == last })
			stop()
			wg.Wait()
			if open := w.firstOpen(last); open != 0 {
				t.Errorf("%d is open at the end", open)
			}
		})
	}
}

// A memory stream goes down with its server, at any moment of the work. After Ensure every event that was not
// settled is delivered again, and in the end every event has had every effect.
func TestRecoveryAfterTheWorkStreamIsLost(t *testing.T) {
	dir := t.TempDir()
	ctx := testContext(t)
	w := &world{events: map[uint64]*truth{}}
	evs := turnEvents(120, "a")
	var seqs []uint64
	const lives = 4
	for life := range lives {
		s := eventstest.Server(t, eventstest.StoreDir(dir))
		js := eventstest.JetStream(t, s)
		rep, err := Ensure(ctx, js, DefaultTopology(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if !rep.Recovered {
			t.Fatal("the work stream outlived its server: the test tests nothing")
		}
		if open := w.firstOpen(rep.Start - 1); open != 0 {
			t.Fatalf("life %d begins at %d, but %d is open", life, rep.Start, open)
		}
		// What was published to the lost stream and not settled is open again, in this world too: only effects stay.
		w.mu.Lock()
		for seq, tr := range w.events {
			if seq >= rep.Start {
				tr.cleaned, tr.open = false, map[string]bool{}
			}
		}
		w.mu.Unlock()
		l := openLog(t, ctx, js)
		work, stop := context.WithCancel(ctx)
		var wg sync.WaitGroup
		var ps []*process
		for i := range 2 {
			f, err := OpenFloor(ctx, js, 1, FloorOptions{Every: 20 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() { f.Run(work) })
			p := &process{t: t, js: js, w: w, floor: f, seed: uint64(life*10 + i)}
			p.run(work, &wg)
			ps = append(ps, p)
		}
		part := evs[life*len(evs)/lives : (life+1)*len(evs)/lives]
		seqs = append(seqs, mustAppend(t, ctx, l, part...)...)
		if life < lives-1 {
			eventstest.Eventually(t, patience, "some work is done", func() bool { return ps[0].n.Load()+ps[1].n.Load() > 40 })
		} else {
			eventstest.Eventually(t, patience, "the floor reaches the end", func() bool {
				n, err := ps[0].floor.Read(ctx)
				return err == nil && n == seqs[len(seqs)-1]
			})
		}
		if life < lives-1 {
			js.Conn().Close() // no goodbye: nothing more is acknowledged or checkpointed
		}
		stop()
		wg.Wait()
		s.Shutdown()
		s.WaitForShutdown()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for k, seq := range wanted(evs, seqs) {
		if !w.events[seq].effects[k] {
			t.Errorf("event %d never had effect %s", seq, k)
		}
	}
}
