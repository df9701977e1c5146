package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// closeTime bounds Close. A server that ignores its end receives SIGKILL after half of
// it, see mcpclient.
const closeTime = 5 * time.Second

// Close refuses new requests, answers those in flight with "shutting down", ends all
// actors and waits until every connection is closed, for at most five seconds and
// until ctx ends. The error says what did not end. A second Close returns the same error.
func (s *System) Close(ctx context.Context) error {
	s.closed.Do(func() { s.unclean = s.close(ctx) })
	return s.unclean
}

func (s *System) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	s.shut()
	_, err := mailbox.Ask(ctx, s.supervisor(), func(r mailbox.Reply[struct{}]) any { return mailbox.Stop{Reply: r} })
	if err != nil {
		// The root is not stopped: hollywood would wait for its children.
		err = fmt.Errorf("end the actors: %w", err)
	} else {
		err = s.endRoot(ctx)
	}
	s.search.Close()
	if s.options.Logins != nil {
		s.options.Logins.Idle(ctx)
	}
	defer s.options.Audit.Close()
	defer s.flushLog()
	select {
	case <-s.work.Idle():
		return err
	case <-ctx.Done():
		return errors.Join(err, fmt.Errorf("close the connections: %w", context.Cause(ctx)))
	}
}

// endRoot stops the supervisor when it has no children any more.
func (s *System) endRoot(ctx context.Context) error {
	select {
	case <-s.engine.Poison(s.root).Done():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("end the supervisor: %w", context.Cause(ctx))
	}
}

// supervisor returns the address of the supervisor. It answers after s.closing too.
func (s *System) supervisor() mailbox.Address {
	return mailbox.Address{Engine: s.engine, PID: s.root}
}
