package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/internal/crash"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Report is what [Ensure] found and did.
type Report struct {
	Created   []string // streams and durables made, "SILT_LOG", "SILT_LOG/clean_1"
	Repaired  []Drift  // edited in place
	Refused   []Drift  // cannot be edited safely; Ensure has failed naming them
	Foreign   []string // durables in the work stream that are no stage of ours: they hold messages back for ever
	Recovered bool     // the work stream was made (again)
	Start     uint64   // with Recovered: first log sequence that clean is delivered (again)

	Held time.Duration // with Recovered: for how long clean is delivered nothing, see Topology.ResetGrace; 0 for not at all
}

// Metadata keys of a work stream.
const metaStart = "silt_start" // log sequence with which this incarnation began

// Ensure makes everything in t stand as t says, with the durables and the work stream of one generation (from 1;
// 0 makes only what all generations share). It is idempotent and safe to run in many processes at once; every
// process runs it at start, and again whenever a work stream turns out to be gone.
//
// A setting that differs is edited where the server can do that without losing a message; else Ensure fails with
// a permanent error that names object, field and both values, after having done the rest.
//
// The work stream is disposable. Where it has to be made (first start, a memory stream lost with its server, a
// durable missing from it, so that messages may have been dropped), the order is:
//
//  1. clean's durable is moved back to the settled floor + 1 ([jetstream.JetStream.ResetConsumerToSequence]; it is
//     never made anew, which would lose its place), or made to start there where it is missing; where broker and workers
//     are one process, that of forget goes back to what was not answered for;
//  2. the stream is made, closed: its subjects are ones that nobody publishes to;
//  3. all its durables are made;
//  4. it is opened: its subjects become the real ones. A publisher before that gets "no stream" and retries.
//
// A crash between two steps leaves either no stream, and the next Ensure begins at 1, or a closed one, and it goes
// on at 3. Step 1 comes before 2 since a stream that stands is a sign that the reset was made. A second Ensure that
// runs 1 while a first is past 4 moves clean back once more: work is done twice, nothing is lost.
//
// An acknowledgement from before the reset that arrives after redelivery would settle an event whose derived
// messages went down with the old stream. Where broker and workers can restart apart, t.ResetGrace holds back
// redelivery for that long, and the server ignores acknowledgements of what it has not delivered: it must exceed
// what a worker can take from the last word of the old server to the end of its own retries on the new one.
func Ensure(ctx context.Context, js jetstream.JetStream, t Topology, generation int) (Report, error) {
	e := ensurer{js: js, t: t}
	if err := t.Validate(); err != nil {
		return e.rep, err
	}
	if generation < 0 {
		return e.rep, schema.Invalid("generation", "must not be negative")
	}
	if err := e.all(ctx, generation); err != nil {
		return e.rep, fmt.Errorf("ensure streams: %w", mapError(err))
	}
	if len(e.rep.Refused) > 0 {
		var all []string
		for _, d := range e.rep.Refused {
			all = append(all, d.String())
		}
		return e.rep, schema.Permanent(schema.CodeUnsupported, nil, "streams differ from the configuration: %s", strings.Join(all, "; "))
	}
	return e.rep, nil
}

type ensurer struct {
	js  jetstream.JetStream
	t   Topology
	rep Report
}

func (e *ensurer) all(ctx context.Context, gen int) error {
	for _, cfg := range e.t.Streams() {
		if cfg.Name == "KV_"+BucketSlots {
			cfg.FirstSeq = incarnation()
		}
		if err := e.stream(ctx, cfg); err != nil {
			return err
		}
	}
	if gen == 0 {
		return e.consumer(ctx, e.t.intake())
	}
	for _, c := range e.t.Consumers(gen) {
		if d := c.Config.Durable; d == Durable(StageClean, gen) || d == Durable(StageLLM, gen) {
			continue // their start is the floor's affair
		}
		if err := e.consumer(ctx, c); err != nil {
			return err
		}
	}
	start, err := e.startOf(ctx, gen)
	if err != nil {
		return err
	}
	if e.t.LLM {
		if _, err := e.begin(ctx, e.t.llm(gen), start); err != nil {
			return err
		}
	}
	made, err := e.begin(ctx, e.t.clean(gen), start)
	if err != nil {
		return err
	}
	return e.work(ctx, gen, start, made)
}

// incarnation is a number above all that went before: microseconds of the clock. As the first sequence of a
// memory stream it keeps the sequences of two incarnations apart, so that an acknowledgement or a revision from a
// lost one means nothing to the next (as long as fewer than a million messages a second are written).
func incarnation() uint64 { return uint64(time.Now().UnixMicro()) }

func (e *ensurer) stream(ctx context.Context, want jetstream.StreamConfig) error {
	s, err := e.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = e.js.CreateStream(ctx, want)
		if err == nil {
			e.rep.Created = append(e.rep.Created, want.Name)
			return nil
		}
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process was faster
			s, err = e.js.Stream(ctx, want.Name)
		}
	}
	if err != nil {
		return fmt.Errorf("make stream %s: %w", want.Name, err)
	}
	return e.repair(ctx, s.CachedInfo(), want)
}

func (e *ensurer) repair(ctx context.Context, info *jetstream.StreamInfo, want jetstream.StreamConfig) error {
	edit, refuse, cfg := diffStream(info, want)
	e.rep.Refused = append(e.rep.Refused, refuse...)
	if len(edit) == 0 {
		return nil
	}
	if _, err := e.js.UpdateStream(ctx, cfg); err != nil {
		return fmt.Errorf("edit stream %s (%v): %w", want.Name, edit, err)
	}
	e.rep.Repaired = append(e.rep.Repaired, edit...)
	return nil
}

func (e *ensurer) consumer(ctx context.Context, c ConsumerSpec) error {
	cons, err := e.js.Consumer(ctx, c.Stream, c.Config.Durable)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		if _, err = e.js.CreateConsumer(ctx, c.Stream, c.Config); err == nil {
			e.rep.Created = append(e.rep.Created, c.Stream+"/"+c.Config.Durable)
			return nil
		}
		if errors.Is(err, jetstream.ErrConsumerExists) {
			cons, err = e.js.Consumer(ctx, c.Stream, c.Config.Durable)
		}
	}
	if err != nil {
		return fmt.Errorf("make durable %s/%s: %w", c.Stream, c.Config.Durable, err)
	}
	edit, refuse, cfg := diffConsumer(c.Stream, cons.CachedInfo().Config, c.Config)
	e.rep.Refused = append(e.rep.Refused, refuse...)
	if len(edit) == 0 {
		return nil
	}
	if _, err := e.js.UpdateConsumer(ctx, c.Stream, cfg); err != nil {
		return fmt.Errorf("edit durable %s/%s (%v): %w", c.Stream, c.Config.Durable, edit, err)
	}
	e.rep.Repaired = append(e.rep.Repaired, edit...)
	return nil
}

// startOf is the first log sequence that the generation has still to work on: settled floor + 1 as checkpointed,
// else where the generation was registered to begin, else 1. It refuses to go on where the checkpoint does not
// match the log: a log that was truncated or restored reuses sequences, and resuming above a floor that belongs to
// other events would skip them silently.
func (e *ensurer) startOf(ctx context.Context, gen int) (uint64, error) {
	kv, err := e.js.KeyValue(ctx, BucketState)
	if err != nil {
		return 0, fmt.Errorf("open state: %w", err)
	}
	cp, _, err := readCheckpoint(ctx, kv, gen)
	if err != nil {
		return 0, err
	}
	if cp.Floor > 0 {
		return cp.Floor + 1, verifyCheckpoint(ctx, e.js, cp)
	}
	g, ok, err := readGeneration(ctx, kv, gen)
	if err != nil || !ok {
		return 1, err
	}
	return max(g.From, 1), nil
}

// begin makes a durable of the log where it is missing, to start at start, and reports whether it did. That of the language
// model, in a generation that was worked on before one was configured, thus begins with what is not settled: all that was
// said before would be asked about at once. A replay reads that.
func (e *ensurer) begin(ctx context.Context, c ConsumerSpec, start uint64) (made bool, err error) {
	if start > 1 {
		c.Config.DeliverPolicy, c.Config.OptStartSeq = jetstream.DeliverByStartSequencePolicy, start
	}
	n := len(e.rep.Created)
	if err := e.consumer(ctx, c); err != nil {
		return false, err
	}
	return len(e.rep.Created) > n, nil
}

// work makes sure that the work stream stands with all its durables; see [Ensure].
func (e *ensurer) work(ctx context.Context, gen int, start uint64, cleanMade bool) error {
	want := e.t.Work(gen)
	s, err := e.js.Stream(ctx, want.Name)
	switch {
	case err == nil && isOpen(s.CachedInfo(), want):
		missing, err := e.missing(ctx, s, gen)
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			for _, c := range e.t.WorkConsumers(gen) {
				if err := e.consumer(ctx, c); err != nil {
					return err
				}
			}
			return e.repair(ctx, s.CachedInfo(), want)
		}
		// Messages may have been dropped for want of the durable: all that is not settled is done again.
		if err := e.js.DeleteStream(ctx, want.Name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("delete stream %s, which lacks %v: %w", want.Name, missing, err)
		}
	case err == nil:
		return e.open(ctx, s, gen)
	case !errors.Is(err, jetstream.ErrStreamNotFound):
		return fmt.Errorf("look at stream %s: %w", want.Name, err)
	}

	if !cleanMade {
		if err := e.reset(ctx, Durable(StageClean, gen), start); err != nil {
			return err
		}
		crash.At(crash.ResetDone)
	}
	if err := e.resume(ctx, Durable(StageForget, gen)); err != nil {
		return err
	}
	closed := want
	closed.Subjects = []string{closedSubject(gen)}
	closed.FirstSeq = incarnation()
	closed.Metadata = map[string]string{metaStart: strconv.FormatUint(start, 10)}
	s, err = e.js.CreateStream(ctx, closed)
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		s, err = e.js.Stream(ctx, want.Name)
	}
	if err != nil {
		return fmt.Errorf("make stream %s: %w", want.Name, err)
	}
	e.rep.Created = append(e.rep.Created, want.Name)
	e.rep.Recovered, e.rep.Start = true, start
	crash.At(crash.StreamClosed)
	return e.open(ctx, s, gen)
}

// resume lets a durable of the log, whose place is on disk, deliver again at once what the workers of a server that went down
// with them had in hands: nobody will answer for it, and it would wait for the rest of AckWait. [Run] counts what ends
// processes then, since the server's count begins anew. Where workers may have outlived the server they still answer.
//
// Those of intake and of the language model are left to wait: the server's count of deliveries, which is on disk for them, is
// all that buries an event there that ends its process.
func (e *ensurer) resume(ctx context.Context, name string) error {
	if e.t.ResetGrace > 0 {
		return nil
	}
	c, err := e.js.Consumer(ctx, StreamLog, name)
	if err != nil {
		return fmt.Errorf("look at %s: %w", name, err)
	}
	if i := c.CachedInfo(); i.NumAckPending > 0 {
		return e.reset(ctx, name, i.AckFloor.Stream+1)
	}
	return nil
}

// closedSubject is bound by a work stream whose durables are not all there yet. It has five tokens where work
// subjects have six: no publisher reaches it.
func closedSubject(gen int) string { return subjectWork + strconv.Itoa(gen) + ".closed.0" }

func isOpen(info *jetstream.StreamInfo, want jetstream.StreamConfig) bool {
	for _, s := range want.Subjects {
		if !slices.Contains(info.Config.Subjects, s) {
			return false
		}
	}
	return true
}

func (e *ensurer) open(ctx context.Context, s jetstream.Stream, gen int) error {
	for _, c := range e.t.WorkConsumers(gen) {
		if err := e.consumer(ctx, c); err != nil {
			return err
		}
	}
	info, err := s.Info(ctx)
	if err != nil {
		return fmt.Errorf("look at stream %s: %w", WorkStream(gen), err)
	}
	if isOpen(info, e.t.Work(gen)) {
		return nil
	}
	cfg := info.Config
	cfg.Subjects = e.t.Work(gen).Subjects
	if _, err := e.js.UpdateStream(ctx, cfg); err != nil {
		return fmt.Errorf("open stream %s: %w", WorkStream(gen), err)
	}
	return nil
}

// missing lists the stages without a durable in the work stream, and notes those that are no stage of ours.
func (e *ensurer) missing(ctx context.Context, s jetstream.Stream, gen int) ([]string, error) {
	names := s.ConsumerNames(ctx)
	have := map[string]bool{}
	for n := range names.Name() {
		have[n] = true
	}
	if err := names.Err(); err != nil {
		return nil, fmt.Errorf("list durables of %s: %w", WorkStream(gen), err)
	}
	var missing []string
	for _, c := range e.t.WorkConsumers(gen) {
		if !have[c.Config.Durable] {
			missing = append(missing, c.Config.Durable)
		}
		delete(have, c.Config.Durable)
	}
	for n := range have {
		e.rep.Foreign = append(e.rep.Foreign, WorkStream(gen)+"/"+n)
	}
	slices.Sort(e.rep.Foreign)
	return missing, nil
}

// reset moves a durable of the log back to start. Where the server cannot write down what becomes of that durable, it is made
// anew there: a server removes the files of a durable only after it has told its workers that it is gone, and so removes
// those of the one that a worker has made in its place meanwhile. Such a durable works, and can be neither changed nor moved.
func (e *ensurer) reset(ctx context.Context, name string, start uint64) error {
	err := e.move(ctx, name, start)
	var api *jetstream.APIError
	if !errors.As(err, &api) || api.ErrorCode != codeConsumerStore {
		return err
	}
	c, err := e.js.Consumer(ctx, StreamLog, name)
	if err != nil {
		return fmt.Errorf("look at %s, which has lost its files: %w", name, err)
	}
	cfg := c.CachedInfo().Config
	cfg.DeliverPolicy, cfg.OptStartSeq = jetstream.DeliverByStartSequencePolicy, start
	if err := e.js.DeleteConsumer(ctx, StreamLog, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("delete %s, which has lost its files: %w", name, err)
	}
	if _, err := e.js.CreateConsumer(ctx, StreamLog, cfg); err != nil && !errors.Is(err, jetstream.ErrConsumerExists) {
		return fmt.Errorf("make %s, which had lost its files: %w", name, err)
	}
	return e.move(ctx, name, start)
}

// codeConsumerStore is the server's answer where it cannot write the files of a durable.
const codeConsumerStore jetstream.ErrorCode = 10104

func (e *ensurer) move(ctx context.Context, name string, start uint64) error {
	if e.t.ResetGrace > 0 {
		if _, err := e.js.PauseConsumer(ctx, StreamLog, name, time.Now().Add(e.t.ResetGrace)); err != nil {
			return fmt.Errorf("pause %s before its reset: %w", name, err)
		}
		e.rep.Held = e.t.ResetGrace
	}
	if _, err := e.js.ResetConsumerToSequence(ctx, StreamLog, name, start); err != nil {
		return fmt.Errorf("move %s back to sequence %d: %w", name, start, err)
	}
	return nil
}

// Prune removes a generation: clean's durable first, so that nothing refills the stream, then the others, the
// stream and the checkpoint. It is idempotent. Its workers must have been stopped, and its number must not be used
// again. The generation's entry in the state is the caller's to mark ([State.EditGeneration]).
func Prune(ctx context.Context, js jetstream.JetStream, generation int) error {
	if generation < 1 {
		return schema.Invalid("generation", "must be positive")
	}
	for _, stage := range []string{StageClean, StageForget, StageLLM} {
		err := js.DeleteConsumer(ctx, StreamLog, Durable(stage, generation))
		if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("prune generation %d: %w", generation, mapError(err))
		}
	}
	if err := js.DeleteStream(ctx, WorkStream(generation)); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("prune generation %d: %w", generation, mapError(err))
	}
	kv, err := js.KeyValue(ctx, BucketState)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil
	}
	if err == nil {
		err = errors.Join(kv.Purge(ctx, keyCheckpoint(generation)), kv.Purge(ctx, keyRun(generation)))
	}
	if err != nil {
		return fmt.Errorf("prune generation %d: %w", generation, mapError(err))
	}
	return nil
}
