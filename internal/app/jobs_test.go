package app

import (
	"context"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// More jobs than a process may run are refused for now, and nothing of them is begun.
func TestJobsAreBounded(t *testing.T) {
	j := &jobs{busy: make(chan struct{}, 2)}
	j.busy <- struct{}{}
	j.busy <- struct{}{}
	_, err := j.start(t.Context(), "acme", schema.JobAudit, func(context.Context, func(uint64, uint64)) (schema.Job, error) {
		t.Error("it was begun")
		return schema.Job{}, nil
	})
	if schema.CodeOf(err) != schema.CodeOverloaded || schema.IsPermanent(err) || len(j.busy) != 2 {
		t.Errorf("%v, %d tokens", err, len(j.busy))
	}
}
