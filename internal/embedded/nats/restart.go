package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// brokenBy are parts of the formats of the lines with which the server says that a store takes nothing any more: after a
// write that failed (no space, a fault of the disk) a stream refuses all later ones, with no answer to who publishes,
// until the server is started again.
var brokenBy = []string{"critical write error", "will be disabled", "disabling jetstream"}

// breaks reports whether a line says so: by the server's own words, or by an error among what it fills in that the disk
// is full. What else is filled in comes from clients, whose words mean nothing here.
func breaks(format string, args []any) bool {
	format = strings.ToLower(format)
	for _, s := range brokenBy {
		if strings.Contains(format, s) {
			return true
		}
	}
	for _, a := range args {
		if err, ok := a.(error); ok && (errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)) {
			return true
		}
	}
	return false
}

// Broken is why the server takes no more writes, or some of them, and will not until a Restart; nil where it does, and
// while it is started again.
func (s *Server) Broken() error {
	err := s.broken()
	if s.pausing.Load() { // looked at last: the pause may have begun during the look
		return nil
	}
	return err
}

func (s *Server) broken() error {
	if line := s.log.broke(); line != "" {
		return errors.New(line)
	}
	if srv := s.srv.Load(); !srv.JetStreamEnabled() {
		return errors.New("JetStream is off")
	}
	return nil
}

// Suspect is sent to when Broken may have changed.
func (s *Server) Suspect() <-chan struct{} { return s.log.suspect }

// Restart ends the server and starts it again on the same directory and address. Connections of the process, and others,
// lose it and find the new one; memory streams are gone, as after any restart. It blocks as Start does. After an error
// the server stands still, and Restart may be called again. After Close it does nothing.
func (s *Server) Restart(ctx context.Context) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	return s.restart(ctx)
}

// Mend is Restart where the server is still Broken once it is this call's turn: a Restart or a Scrub may have mended it.
func (s *Server) Mend(ctx context.Context) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.broken() == nil {
		return nil
	}
	return s.restart(ctx)
}

func (s *Server) restart(ctx context.Context) error {
	if s.closed {
		return nil
	}
	s.pausing.Store(true)
	defer s.pausing.Store(false)
	s.shutdown()
	s.log.reset()
	if err := s.start(ctx); err != nil {
		s.shutdown() // it may be up, and lack a stream that is on disk: nobody must make that one anew
		s.log.stay(err)
		return fmt.Errorf("restart nats: %w", err)
	}
	return nil
}
