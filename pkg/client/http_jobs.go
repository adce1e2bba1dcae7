package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Replay begins to read the log into a new generation and returns the id of the job. It concerns every tenant.
func (h *HTTP) Replay(ctx context.Context, r schema.ReplayRequest) (job string, err error) {
	var out schema.JobStarted
	err = h.send(ctx, http.MethodPost, "/v1/replay", r, &out)
	return out.Job, err
}

// Replays lists the generations that there are.
func (h *HTTP) Replays(ctx context.Context) (out schema.ReplayList, err error) {
	err = h.get(ctx, "/v1/generations", &out)
	return out, err
}

// Switch answers from another generation; without a number from the newest that is filled.
func (h *HTTP) Switch(ctx context.Context, r schema.SwitchRequest) (out schema.Job, err error) {
	err = h.send(ctx, http.MethodPost, "/v1/replay/switch", r, &out)
	return out, err
}

// Rollback answers from the generation before again.
func (h *HTTP) Rollback(ctx context.Context, r schema.SwitchRequest) (out schema.Job, err error) {
	err = h.send(ctx, http.MethodPost, "/v1/replay/rollback", r, &out)
	return out, err
}

// Prune removes a generation that is not answered from.
func (h *HTTP) Prune(ctx context.Context, generation int) (out schema.Job, err error) {
	err = h.do(ctx, http.MethodDelete, "/v1/generations/"+strconv.Itoa(generation), "", nil, &out)
	return out, err
}

// Snapshot begins to hash what a generation holds, 0 being the one that is answered from, and returns the id of the job.
func (h *HTTP) Snapshot(ctx context.Context, generation int) (job string, err error) {
	var out schema.JobStarted
	err = h.send(ctx, http.MethodPost, "/v1/snapshot", schema.SnapshotRequest{Generation: generation}, &out)
	return out.Job, err
}

// Erase begins to make every trace of a user go, and returns the id of the job.
func (h *HTTP) Erase(ctx context.Context, r schema.EraseRequest) (job string, err error) {
	var out schema.JobStarted
	err = h.send(ctx, http.MethodPost, "/v1/erase", r, &out)
	return out.Job, err
}

// Job is how far a job is.
func (h *HTTP) Job(ctx context.Context, id string) (out schema.Job, err error) {
	err = h.get(ctx, "/v1/jobs/"+url.PathEscape(id), &out)
	return out, err
}
