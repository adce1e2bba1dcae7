package events

import (
	"strconv"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Streams, buckets and stores. Work streams are named by [WorkStream].
const (
	StreamLog  = "SILT_LOG" // silt.log.<tenant>.<shard>.<op>: the truth
	StreamIn   = "SILT_IN"  // silt.in.<tenant>: fire-and-forget publishes on their way to intake
	StreamDLQ  = "SILT_DLQ" // silt.dlq.<stage>.<tenant>.<event>: what no retry mends
	workPrefix = "SILT_WORK_"

	StoreBlobs     = "SILT_BLOBS"    // object store: bodies too large for a message
	BucketVectors  = "SILT_VECTORS"  // key-value: remote embeddings by model and content hash
	BucketReadings = "SILT_READINGS" // key-value: what a language model read, by user, model and content hash
	BucketState    = "SILT_STATE"    // key-value, synced: tools, settings, generations, checkpoints, what was injected
	BucketRetries  = "SILT_RETRIES"  // key-value: what is known of messages that were delivered more than once
	BucketWitness  = "SILT_WITNESS"  // key-value: what was seen of the log, to tell when it is not the same any more
	BucketSlots    = "SILT_SLOTS"    // key-value, memory: revisions of slots; guards, does not remember
)

// Wildcards that a stream or a consumer binds to. <tenant> is schema.Token of the tenant everywhere.
const (
	SubjectsLog     = "silt.log.*.*.*"
	SubjectsForget  = "silt.log.*.*.forget"
	SubjectsTurn    = "silt.log.*.*.turn"
	SubjectsErase   = "silt.log.*.*.erase"
	SubjectsArchive = "silt.log.*.*.archive"
	SubjectsIn      = "silt.in.*"
	SubjectsDLQ     = "silt.dlq.*.*.*"

	subjectLog  = "silt.log."
	subjectIn   = "silt.in."
	subjectWork = "silt.work."
	subjectDLQ  = "silt.dlq."
)

// Service subjects (NATS services API, queue groups).
const (
	SubjectIngest  = "silt.ingest"
	SubjectQuery   = "silt.query"
	SubjectForget  = "silt.forget"
	SubjectArchive = "silt.archive"
	SubjectStatus  = "silt.status"
)

// Stages that own a durable. A durable is named <stage>_<generation>.
const (
	StageClean     = "clean"     // on the log, every op
	StageForget    = "forget"    // on the log, ops forget and archive
	StageVectorize = "vectorize" // on cleaned
	StageExtract   = "extract"   // on cleaned
	StageDistill   = "distill"   // on cleaned
	StageDecide    = "decide"    // on fact
	StageLLM       = "llm"       // on the log, op turn alone; only where a language model is asked
	StageIntake    = "intake"    // on SILT_IN; its durable has no generation
)

// LogSubject is where an event is appended: silt.log.<tenant>.<shard>.<op>. The shard spreads users over at most
// 256 subjects a tenant and op; the user itself is in the envelope.
func LogSubject(tenant, user string, op schema.Op) string {
	return subjectLog + schema.Token(tenant) + "." + schema.Shard(tenant, user) + "." + string(op)
}

// LogFilter matches log entries of a tenant ("" for all) and an op ("" for all).
func LogFilter(tenant string, op schema.Op) string {
	t, o := "*", "*"
	if tenant != "" {
		t = schema.Token(tenant)
	}
	if op != "" {
		o = string(op)
	}
	return subjectLog + t + ".*." + o
}

// InSubject is where a fire-and-forget publisher of a tenant publishes.
func InSubject(tenant string) string { return subjectIn + schema.Token(tenant) }

// WorkStream is the stream of what a generation has still to do.
func WorkStream(generation int) string { return workPrefix + strconv.Itoa(generation) }

// WorkSubject is where derived events travel: silt.work.<generation>.<op>.<tenant>.<shard>.
func WorkSubject(generation int, op schema.Op, tenant, user string) string {
	return subjectWork + strconv.Itoa(generation) + "." + string(op) + "." + schema.Token(tenant) + "." + schema.Shard(tenant, user)
}

// WorkFilter matches the derived events of one op in a generation.
func WorkFilter(generation int, op schema.Op) string {
	return subjectWork + strconv.Itoa(generation) + "." + string(op) + ".*.*"
}

// DLQSubject is where a stage's dead letter goes: silt.dlq.<stage>.<tenant>.<message>. stage is a name of the
// program, lower-case letters; message tells one dead message from another.
func DLQSubject(stage, tenant, message string) string {
	return subjectDLQ + stage + "." + schema.Token(tenant) + "." + schema.Token(message)
}

// dlqFilter matches the dead letters of a tenant.
func dlqFilter(tenant string) string { return subjectDLQ + "*." + schema.Token(tenant) + ".*" }

// Durable is the name of a stage's durable consumer in a generation.
func Durable(stage string, generation int) string { return stage + "_" + strconv.Itoa(generation) }

// TenantOf is the tenant in a subject of the log, of SILT_IN or of a work stream; ok is false where the subject
// is none of these or the token is not one that [schema.Token] makes. It does not replace the envelope: it is
// for SILT_IN, where the subject is all that says whose a message is.
func TenantOf(subject string) (tenant string, ok bool) {
	var tok string
	switch {
	case strings.HasPrefix(subject, subjectLog):
		tok, _, _ = strings.Cut(subject[len(subjectLog):], ".")
	case strings.HasPrefix(subject, subjectIn):
		tok = subject[len(subjectIn):]
	case strings.HasPrefix(subject, subjectWork):
		if p := strings.Split(subject, "."); len(p) == 6 {
			tok = p[4]
		}
	}
	return schema.Untoken(tok)
}
