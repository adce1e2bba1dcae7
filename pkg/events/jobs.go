package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// jobMemory is how long what became of a job is known after it was saved last.
const jobMemory = 7 * 24 * time.Hour

// Jobs remembers in the bucket SILT_STATE how far jobs are. Whoever works on one saves it now and then, which shows that
// it is alive. Safe for concurrent use, also by several processes.
type Jobs struct {
	js jetstream.JetStream
	kv jetstream.KeyValue
}

// OpenJobs opens the bucket that [Ensure] made.
func OpenJobs(ctx context.Context, js jetstream.JetStream) (*Jobs, error) {
	kv, err := js.KeyValue(ctx, BucketState)
	if err != nil {
		return nil, fmt.Errorf("open jobs: %w", mapError(err))
	}
	return &Jobs{js, kv}, nil
}

// keyJob hides the jobs of a tenant from every other: who does not know the tenant does not find them.
func keyJob(tenant, id string) string { return "job." + schema.Token(tenant+"\x00"+id) }

// Save notes how far a job of a tenant is; of all tenants where it is "".
func (j *Jobs) Save(ctx context.Context, tenant string, job schema.Job) error {
	b, err := json.Marshal(job)
	if err != nil {
		return fmt.Errorf("encode job: %w", err)
	}
	if _, err := j.js.Publish(ctx, "$KV."+BucketState+"."+keyJob(tenant, job.ID), b, jetstream.WithMsgTTL(jobMemory)); err != nil {
		return fmt.Errorf("save job: %w", mapError(err))
	}
	return nil
}

// Load is a job of a tenant as it was saved last, and when that was; [schema.CodeNotFound] where the tenant has none of that
// id.
func (j *Jobs) Load(ctx context.Context, tenant, id string) (job schema.Job, saved time.Time, err error) {
	e, err := j.kv.Get(ctx, keyJob(tenant, id))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return job, saved, &schema.Error{Code: schema.CodeNotFound, Field: "id", Message: "there is no such job"}
	}
	if err == nil {
		err = json.Unmarshal(e.Value(), &job)
	}
	if err != nil {
		return job, saved, fmt.Errorf("read job: %w", mapError(err))
	}
	return job, e.Created(), nil
}
