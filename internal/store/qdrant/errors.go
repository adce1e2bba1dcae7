package qdrant

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// deniedWait is how long to leave a server alone that refuses our credentials: a person has to act.
const deniedWait = 5 * time.Second

// missingWait is how long to leave a server alone that lacks a collection: somebody is about to make it, or has to.
const missingWait = 2 * time.Second

// missing reports whether an error of the server says that a collection is not there.
func missing(err error) bool { return status.Code(err) == codes.NotFound }

// fail is the one place where an error of the server or of gRPC becomes a decision. op is a verb and a noun.
func fail(op string, err error) error {
	if err == nil {
		return nil
	}
	var own *schema.Error
	if errors.As(err, &own) {
		return err
	}
	var limit *qdrant.QdrantResourceExhaustedError
	if errors.As(err, &limit) {
		return schema.Retryable(schema.CodeOverloaded, time.Duration(limit.RetryAfterS)*time.Second, hushed(err), "%s", op)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return schema.Retryable(schema.CodeTimeout, 0, err, "%s", op)
	}
	if errors.Is(err, context.Canceled) {
		return schema.Retryable(schema.CodeUnavailable, 0, err, "%s", op)
	}
	st, _ := status.FromError(err) // not a status: codes.Unknown
	err = hushed(err)
	switch st.Code() {
	case codes.InvalidArgument, codes.OutOfRange, codes.FailedPrecondition:
		return schema.Permanent(schema.CodeInvalid, err, "%s", op)
	case codes.NotFound:
		// Ids that are not there are no error anywhere: a collection is missing, which is no event's fault. A store
		// that was lost must not send a whole stream to the dead letters either.
		return schema.Retryable(schema.CodeUnavailable, missingWait, fmt.Errorf("%w: %w", schema.ErrNoCollection, err), "%s: a collection is missing; one that was lost is made and filled again at the next start", op)
	case codes.AlreadyExists:
		return schema.Permanent(schema.CodeConflict, err, "%s", op)
	case codes.Unimplemented:
		return schema.Permanent(schema.CodeUnsupported, err, "%s", op)
	case codes.Unauthenticated, codes.PermissionDenied:
		// Not the event's fault: a wrong key must not send a whole stream to the dead letters.
		return schema.Retryable(schema.CodeDenied, deniedWait, err, "%s", op)
	case codes.ResourceExhausted:
		if strings.Contains(st.Message(), "larger than max") { // gRPC's own limit of a message's size
			return schema.Permanent(schema.CodeTooLarge, err, "%s", op)
		}
		return schema.Retryable(schema.CodeOverloaded, 0, err, "%s", op)
	case codes.DeadlineExceeded:
		return schema.Retryable(schema.CodeTimeout, 0, err, "%s", op)
	case codes.Unavailable, codes.Canceled, codes.Aborted:
		return schema.Retryable(schema.CodeUnavailable, 0, err, "%s", op)
	}
	return schema.Retryable(schema.CodeInternal, 0, err, "%s", op) // Internal, Unknown, DataLoss: may pass
}

// hushed is err without the server's words but those that are known to be harmless: servers quote what they refuse,
// and errors are logged. What gRPC itself says of a connection stays.
func hushed(err error) error {
	st, ok := status.FromError(err)
	if !ok {
		return err
	}
	switch st.Code() {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return err
	}
	text := "server answered " + st.Code().String()
	if known := harmless.FindString(st.Message()); known != "" {
		text += ": " + known
	}
	return hush{err, text}
}

// harmless are the parts of Qdrant's and gRPC's messages that help and hold numbers and names of ours alone.
var harmless = regexp.MustCompile("(?i)vector dimension error: expected dim: [0-9]+, got [0-9]+|not existing vector name error|collection `?[a-z]+_[0-9]+`? (?:doesn't|does not|already) exists?|" +
	"larger than max \\([0-9]+ vs\\. [0-9]+\\)|index required but not found|unknown (?:service|method) [a-z.]+|invalid api[- ]key|no space left on device|too many open files|in (?:red|grey|yellow) status|timeout")

type hush struct {
	err  error
	text string
}

func (h hush) Error() string { return h.text }
func (h hush) Unwrap() error { return h.err }

// completed makes an error of every status but Completed. With wait set the server may still answer otherwise,
// without an error: Acknowledged, WaitTimeout, ClockRejected.
func completed(op string, r *qdrant.UpdateResult, err error) error {
	if err != nil {
		return fail(op, err)
	}
	if st := r.GetStatus(); st != qdrant.UpdateStatus_Completed {
		return schema.Retryable(schema.CodeUnavailable, 0, nil, "%s: server answered %s, not Completed", op, st)
	}
	return nil
}
