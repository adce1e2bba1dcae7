package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// DeadLetters is a page of the tenant's dead letters, oldest first; cursor is "" or that of the page before, limit 0
// means 100.
func (h *HTTP) DeadLetters(ctx context.Context, cursor string, limit int) (out schema.DeadLetterList, err error) {
	q := url.Values{}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	err = h.get(ctx, "/v1/dlq?"+q.Encode(), &out)
	return out, err
}

// DeadLetter is one dead letter, with what was published where original is set, which needs the scope raw.
func (h *HTTP) DeadLetter(ctx context.Context, id string, original bool) (out schema.DeadLetter, err error) {
	path := "/v1/dlq/" + url.PathEscape(id)
	if original {
		path += "?original=true"
	}
	err = h.get(ctx, path, &out)
	return out, err
}

// RetryDead tries a dead letter again.
func (h *HTTP) RetryDead(ctx context.Context, id string) (out schema.DeadReply, err error) {
	err = h.do(ctx, http.MethodPost, "/v1/dlq/"+url.PathEscape(id)+"/retry", "", nil, &out)
	return out, err
}

// DropDead removes a dead letter and its body for good. Its event stays dead.
func (h *HTTP) DropDead(ctx context.Context, id string) (out schema.DeadReply, err error) {
	err = h.do(ctx, http.MethodDelete, "/v1/dlq/"+url.PathEscape(id), "", nil, &out)
	return out, err
}

// Audit begins to hold the tenant's log against the stores and returns the id of the job.
func (h *HTTP) Audit(ctx context.Context, r schema.AuditRequest) (job string, err error) {
	var out schema.JobStarted
	err = h.send(ctx, http.MethodPost, "/v1/audit", r, &out)
	return out.Job, err
}

// Log is how the log stands against what was witnessed of it.
func (h *HTTP) Log(ctx context.Context) (out schema.LogState, err error) {
	err = h.get(ctx, "/v1/log", &out)
	return out, err
}

// AcceptLog takes the log as it is from now on.
func (h *HTTP) AcceptLog(ctx context.Context) (out schema.LogState, err error) {
	err = h.do(ctx, http.MethodPost, "/v1/log/accept", "", nil, &out)
	return out, err
}
