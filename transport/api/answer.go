package api

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript/internal/budget"
)

// relay answers with a JSON value of a server, unchanged. A large value is written without
// a copy; its bytes return to the memory budget after the write.
func (x *exchange) relay(get func(context.Context) (json.RawMessage, error)) error {
	ctx, release := budget.Hold(x.ctx)
	value, err := get(ctx)
	if err != nil {
		release()
		return err
	}
	x.c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	if len(value) <= budget.Free {
		defer release()
		return x.c.Send(value)
	}
	x.c.Context().SetBodyStream(&bufferedAnswer{Reader: bytes.NewReader(value), release: sync.OnceFunc(release)}, len(value))
	return nil
}

// bufferedAnswer is a body that fasthttp closes after the write, even if the write fails.
type bufferedAnswer struct {
	*bytes.Reader
	release func()
}

// Close implements io.Closer.
func (h *bufferedAnswer) Close() error {
	h.release()
	return nil
}
