package events

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Limits on bodies in a message; larger ones travel as a claim ([Blobs]). A server's max_payload (1 MiB unless
// configured) counts headers too, hence the distance.
const (
	MaxRawInLog = 256 << 10 // bytes of a raw body in the log
	MaxInWork   = 512 << 10 // bytes of a derived body in a work stream
)

// Topology is the configuration of everything that Siltstone keeps in JetStream, as data. The zero value is not
// valid; start from [DefaultTopology]. It holds only what an installation may choose: what the guarantees hang on
// (retention, discard policy, acknowledgement, the lack of server-side back-off) is fixed in the methods.
type Topology struct {
	Replicas      int           `json:"replicas"`       // of every file-stored stream; 1 on a single server, 3 on a cluster
	WorkStorage   string        `json:"work_storage"`   // "memory" (default) or "file"; on a cluster choose file
	WorkReplicas  int           `json:"work_replicas"`  // of work streams and slots
	LogMaxBytes   int64         `json:"log_max_bytes"`  // -1: bounded by the server's max_file_store alone
	InMaxBytes    int64         `json:"in_max_bytes"`   // backlog of fire-and-forget publishes
	WorkMaxBytes  int64         `json:"work_max_bytes"` // of one generation; the bound is the backpressure on clean
	DLQMaxBytes   int64         `json:"dlq_max_bytes"`
	BlobsMaxBytes int64         `json:"blobs_max_bytes"`
	VectorsMax    int64         `json:"vectors_max"`     // vectors of a remote embedder that are kept; the oldest go first. By number, since bytes would be reserved
	ReadingsMax   int64         `json:"readings_max"`    // answers of a language model that are kept; likewise
	LLM           bool          `json:"llm"`             // generations have a durable for a language model
	Duplicates    time.Duration `json:"duplicates"`      // dedupe window of the log, SILT_IN, the dead letters and work streams
	AckWait       time.Duration `json:"ack_wait"`        // a held message is heartbeated well within it
	MaxAckPending int           `json:"max_ack_pending"` // messages a durable hands out at once over all workers; at least the largest batch
	SlotTTL       time.Duration `json:"slot_ttl"`        // a slot's revision is forgotten after it; far longer than any handler
	ResetGrace    time.Duration `json:"reset_grace"`     // see Ensure; 0 where broker and workers are one process
}

// DefaultTopology is what the embedded mode runs on: one server, everything but work and slots on disk.
func DefaultTopology() Topology {
	return Topology{
		Replicas:      1,
		WorkStorage:   "memory",
		WorkReplicas:  1,
		LogMaxBytes:   -1,
		InMaxBytes:    256 << 20,
		WorkMaxBytes:  64 << 20,
		DLQMaxBytes:   256 << 20,
		BlobsMaxBytes: -1,
		VectorsMax:    500_000,
		ReadingsMax:   1_000_000,
		Duplicates:    2 * time.Minute,
		AckWait:       30 * time.Second,
		MaxAckPending: 2048,
		SlotTTL:       time.Hour,
	}
}

// Validate reports the first value that cannot work, naming its field.
func (t Topology) Validate() error {
	switch {
	case t.Replicas < 1 || t.Replicas > 5:
		return schema.Invalid("replicas", "must be 1 to 5")
	case t.WorkReplicas < 1 || t.WorkReplicas > 5:
		return schema.Invalid("work_replicas", "must be 1 to 5")
	case t.WorkStorage != "memory" && t.WorkStorage != "file":
		return schema.Invalid("work_storage", "%q is not one of memory, file", t.WorkStorage)
	case t.WorkMaxBytes < 4*MaxInWork:
		return schema.Invalid("work_max_bytes", "must be at least %d, or backpressure stops the pipeline", 4*MaxInWork)
	case t.Duplicates < 100*time.Millisecond:
		return schema.Invalid("duplicates", "must be at least 100ms")
	case t.AckWait < time.Second:
		return schema.Invalid("ack_wait", "must be at least 1s")
	case t.MaxAckPending < 1:
		return schema.Invalid("max_ack_pending", "must be positive: the settled floor needs a bound on what is out")
	case t.SlotTTL < 10*t.AckWait:
		return schema.Invalid("slot_ttl", "must be at least ten times ack_wait")
	}
	return nil
}

// ConsumerSpec is a durable consumer and the stream it belongs to.
type ConsumerSpec struct {
	Stream string                   `json:"stream"`
	Config jetstream.ConsumerConfig `json:"config"`
}

// Filters are the subjects that the durable reads, "" for all of its stream.
func (c ConsumerSpec) Filters() []string { return filters(&c.Config) }

func filters(c *jetstream.ConsumerConfig) []string {
	if len(c.FilterSubjects) > 0 {
		return c.FilterSubjects
	}
	return []string{c.FilterSubject}
}

// workStages are the durables of a work stream and what each consumes. The set is fixed when the stream is
// created, whatever stages a process runs: with interest retention a message for which a durable is missing
// would be dropped under a good acknowledgement.
var workStages = []struct {
	stage string
	op    schema.Op
}{
	{StageVectorize, schema.OpCleaned},
	{StageExtract, schema.OpCleaned},
	{StageDistill, schema.OpCleaned},
	{StageDecide, schema.OpFact},
}

// Streams are the streams that stand once for all generations, in the order in which they are made. Buckets and
// stores appear as the streams that they are.
func (t Topology) Streams() []jetstream.StreamConfig {
	return []jetstream.StreamConfig{t.state(), t.retries(), t.witness(), t.slots(), t.log(), t.in(), t.dlq(), t.blobs(), t.vectors(), t.readings()}
}

// log is the truth: kept until erased, whole, on disk. A full log refuses (10077) and never drops. Atomic batches
// are what makes synced appends fast. Deletes are not denied, since erasure needs them. Reads go to the leader
// (no direct gets): a follower may not have what was just acknowledged.
func (t Topology) log() jetstream.StreamConfig {
	c := t.file(StreamLog, "The truth: every accepted event, byte for byte", t.LogMaxBytes)
	c.Subjects = []string{SubjectsLog}
	c.AllowAtomicPublish = true
	return c
}

func (t Topology) in() jetstream.StreamConfig {
	c := t.file(StreamIn, "Fire-and-forget publishes on their way to intake", t.InMaxBytes)
	c.Subjects = []string{SubjectsIn}
	c.Retention = jetstream.WorkQueuePolicy
	return c
}

func (t Topology) dlq() jetstream.StreamConfig {
	c := t.file(StreamDLQ, "Events that no retry mends, with stage and reason", t.DLQMaxBytes)
	c.Subjects = []string{SubjectsDLQ}
	return c
}

// blobs and vectors, state and slots are laid out as nats.go lays out object stores and key-value buckets, so
// that its clients open them.
func (t Topology) blobs() jetstream.StreamConfig {
	c := t.file("OBJ_"+StoreBlobs, "Bodies too large for a message, by event and stage", t.BlobsMaxBytes)
	c.Subjects = []string{"$O." + StoreBlobs + ".C.>", "$O." + StoreBlobs + ".M.>"}
	c.AllowRollup = true
	c.Duplicates = 0
	return c
}

func (t Topology) vectors() jetstream.StreamConfig {
	c := t.bucket(BucketVectors, "Remote embeddings by model and content hash")
	c.MaxMsgs, c.Discard = t.VectorsMax, jetstream.DiscardOld
	c.AllowAtomicPublish = true
	return c
}

// readings hold words of users: they are the first part of each key, so that an erasure finds them.
func (t Topology) readings() jetstream.StreamConfig {
	c := t.bucket(BucketReadings, "What a language model read, by user, model and content hash")
	c.MaxMsgs, c.Discard = t.ReadingsMax, jetstream.DiscardOld
	return c
}

func (t Topology) state() jetstream.StreamConfig {
	c := t.bucket(BucketState, "Tools, settings, generations and the active one, checkpoints, what was injected")
	c.AllowMsgTTL = true
	c.SubjectDeleteMarkerTTL = time.Minute
	return c
}

// witness stands apart from the log that it remembers.
func (t Topology) witness() jetstream.StreamConfig {
	return t.bucket(BucketWitness, "What was seen of the log")
}

// retries forgets what no worker has touched for days: a work stream may go with messages that have an account.
func (t Topology) retries() jetstream.StreamConfig {
	c := t.bucket(BucketRetries, "What is known of messages that were delivered more than once")
	c.MaxAge = retryMemory
	return c
}

// retryMemory is far longer than the longest delay between two deliveries.
const retryMemory = 7 * 24 * time.Hour

// slots guards and does not remember: memory, and each incarnation's revisions lie above those of all before it
// ([Ensure] sets FirstSeq by the clock), so that a revision read from a lost one never matches.
func (t Topology) slots() jetstream.StreamConfig {
	c := t.bucket(BucketSlots, "Revisions of slots")
	c.Storage = jetstream.MemoryStorage
	c.Replicas = t.WorkReplicas
	c.MaxAge = t.SlotTTL
	return c
}

// Work is the stream of what a generation has still to do. See [Ensure] for how it comes up.
func (t Topology) Work(generation int) jetstream.StreamConfig {
	c := t.file(WorkStream(generation), "What is still to do in one generation; disposable", t.WorkMaxBytes)
	c.Subjects = []string{WorkFilter(generation, schema.OpCleaned), WorkFilter(generation, schema.OpFact)}
	c.Retention = jetstream.InterestPolicy
	c.Replicas = t.WorkReplicas
	if t.WorkStorage != "file" {
		c.Storage = jetstream.MemoryStorage
	}
	return c
}

func (t Topology) file(name, doc string, maxBytes int64) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: name, Description: doc, Storage: jetstream.FileStorage, Replicas: t.Replicas,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxBytes: maxBytes, MaxMsgs: -1, MaxMsgsPerSubject: -1, MaxMsgSize: -1, MaxConsumers: -1,
		Duplicates: t.Duplicates,
	}
}

func (t Topology) bucket(name, doc string) jetstream.StreamConfig {
	c := t.file("KV_"+name, doc, -1)
	c.Subjects = []string{"$KV." + name + ".>"}
	c.MaxMsgsPerSubject = 1
	c.AllowRollup = true
	c.DenyDelete = true
	c.Duplicates = t.Duplicates
	return c
}

// Consumers are the durables that read the log and SILT_IN: intake, and forget, llm and clean of a generation. Clean
// takes every op (what it does not work on it settles at once), so that its acknowledgement floor reaches the end
// of the log.
func (t Topology) Consumers(generation int) []ConsumerSpec {
	out := []ConsumerSpec{
		t.intake(),
		t.forget(generation),
	}
	if t.LLM {
		out = append(out, t.llm(generation))
	}
	return append(out, t.clean(generation))
}

// llm reads the turns of the log by a durable of its own, at its own pace: the work stream, whose bound is the backpressure
// on everything else, holds nothing for it.
func (t Topology) llm(generation int) ConsumerSpec {
	return t.durable(StreamLog, Durable(StageLLM, generation), SubjectsTurn)
}

// intake reads all of SILT_IN, without a filter: whoever may publish to silt.in.* may publish to the literal subject
// "silt.in.>", which the stream takes and no filter matches, so that it would stay for ever.
func (t Topology) intake() ConsumerSpec { return t.durable(StreamIn, StageIntake, "") }

// forget reads the entries by which something leaves the index.
func (t Topology) forget(generation int) ConsumerSpec {
	c := t.durable(StreamLog, Durable(StageForget, generation), "")
	c.Config.FilterSubjects = []string{SubjectsForget, SubjectsArchive}
	return c
}

func (t Topology) clean(generation int) ConsumerSpec {
	return t.durable(StreamLog, Durable(StageClean, generation), SubjectsLog)
}

// WorkConsumers are the durables of a generation's work stream.
func (t Topology) WorkConsumers(generation int) []ConsumerSpec {
	var cs []ConsumerSpec
	for _, s := range workStages {
		cs = append(cs, t.durable(WorkStream(generation), Durable(s.stage, generation), WorkFilter(generation, s.op)))
	}
	return cs
}

// durable has no BackOff (it overrides AckWait and breaks delayed negative acknowledgements), no MaxDeliver (the
// runner counts, dead-letters and terminates; a message over MaxDeliver would stay for ever), and no
// InactiveThreshold (scaling to zero would delete it).
func (t Topology) durable(stream, name, filter string) ConsumerSpec {
	return ConsumerSpec{Stream: stream, Config: jetstream.ConsumerConfig{
		Durable: name, FilterSubject: filter, DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: t.AckWait, MaxDeliver: -1, MaxAckPending: t.MaxAckPending,
	}}
}

// Layout is everything [Ensure] makes for one generation, as JSON for people and for tools that provision streams:
// deploy/nats/*.json is generated from it.
type Layout struct {
	Topology  Topology                 `json:"topology"`
	Streams   []jetstream.StreamConfig `json:"streams"`
	Consumers []ConsumerSpec           `json:"consumers"`
}

// Layout is t spelled out for a generation.
func (t Topology) Layout(generation int) Layout {
	return Layout{
		Topology:  t,
		Streams:   append(t.Streams(), t.Work(generation)),
		Consumers: append(t.Consumers(generation), t.WorkConsumers(generation)...),
	}
}

// JSON is l indented, as deploy/nats keeps it.
func (l Layout) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(l)
	return b.Bytes(), err
}

// ClusterTopology is the layout for a cluster of three servers: everything replicated, work on disk, so that the
// loss of one server loses nothing, and a grace before redelivery after a reset ([Ensure]).
func ClusterTopology() Topology {
	t := DefaultTopology()
	t.Replicas, t.WorkReplicas = 3, 3
	t.WorkStorage = "file"
	t.WorkMaxBytes = 4 << 30
	t.ResetGrace = 15 * time.Second
	return t
}
