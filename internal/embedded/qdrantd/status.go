package qdrantd

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The codes and texts below follow Qdrant's, so that a client which tells errors apart treats both servers alike.

func invalid(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, format, args...)
}

func wrongInput(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, "Wrong input: "+format, args...)
}

func unsupported(format string, args ...any) error {
	return status.Errorf(codes.Unimplemented, format, args...)
}

func noCollection(name string) error {
	return status.Errorf(codes.NotFound, "Not found: Collection `%s` doesn't exist!", name)
}

func noPoint(id pointID) error {
	return status.Errorf(codes.NotFound, "Not found: No point with id %s found", id)
}

func noVector(name string) error { return wrongInput("Not existing vector name error: %s", name) }

func internal(format string, args ...any) error {
	return status.Errorf(codes.Internal, format, args...)
}

var errClosed = status.Error(codes.Unavailable, "the server is closed")
