package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// outage is for how long a command that waits goes on where a server that has answered before does not any more: it may
// be starting again, and what is waited for goes on there.
const outage = 2 * time.Minute

// await calls look every so often until that is done or fails for good, or ctx ends. Failures that a retry may mend are
// told once to tell and waited out, where there was an answer within outage: by look, or before, at answered. That a server
// has too much to do is an answer: it is asked again when it says, for as long as it says so.
func await(ctx context.Context, every time.Duration, answered time.Time, tell io.Writer, look func() (done bool, err error)) error {
	told := false
	for {
		done, err := look()
		var e *schema.Error
		if schema.CodeOf(err) == schema.CodeOverloaded {
			answered = time.Now()
		}
		switch {
		case err == nil:
			answered, told = time.Now(), false
		case errors.As(err, &e) && e.Retry && time.Since(answered) < outage:
			if !told {
				told = true
				fmt.Fprintf(tell, "waiting for the server: %v\n", err)
			}
		default:
			return err
		}
		if done {
			return nil
		}
		select {
		case <-time.After(max(every, schema.RetryAfter(err))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// idleEvery is how often waitIdle asks.
const idleEvery = 50 * time.Millisecond

// waitIdle waits until the tenant is idle or ctx ends; tell is told of outages.
func waitIdle(ctx context.Context, tell io.Writer, cl *client.HTTP) error {
	err := await(ctx, idleEvery, time.Time{}, tell, func() (bool, error) {
		st, err := cl.Status(ctx)
		return st.Idle, err
	})
	if ctx.Err() != nil {
		return fmt.Errorf("wait until idle: %w", ctx.Err())
	}
	return err
}

// followEvery is how often a job is asked for, and tellEvery how often it is told how far it is.
const (
	followEvery = 200 * time.Millisecond
	tellEvery   = 2 * time.Second
)

// follow waits until a job has ended, telling how far it is. One that failed is an error.
func (e *env) follow(ctx context.Context, cl *client.HTTP, id string) (schema.Job, error) {
	told := time.Now()
	var job schema.Job
	err := await(ctx, followEvery, time.Time{}, e.err, func() (bool, error) {
		now, err := cl.Job(ctx, id)
		if err != nil {
			return false, err
		}
		switch job = now; {
		case job.State == schema.JobFailed:
			return true, &schema.Error{Code: job.Error.Code, Message: id + " failed: " + job.Error.Message}
		case job.State != schema.JobRunning:
			return true, nil
		case time.Since(told) >= tellEvery:
			told = time.Now()
			fmt.Fprintf(e.err, "%s: %s\n", id, progress(job))
		}
		return false, nil
	})
	if ctx.Err() != nil {
		return job, fmt.Errorf("wait for %s: %w; it goes on", id, ctx.Err())
	}
	return job, err
}
