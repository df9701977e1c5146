package quickjs

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript/internal/naming"
)

// VM runs one script at a time. One goroutine uses it at a time.
type VM struct {
	engine   *Engine
	memory   memory
	instance *instance
	fresh    bool
	names    *naming.Table // table of the last run
	zone     zone          // time zone of the last run
}

// NewVM returns a fresh VM.
func (e *Engine) NewVM(ctx context.Context) (*VM, error) {
	v := &VM{engine: e}
	if err := v.instantiate(ctx); err != nil {
		return nil, err
	}
	return v, nil
}

// instantiate creates an instance with the image.
func (v *VM) instantiate(ctx context.Context) error {
	memory, err := v.engine.image.store.newMemory(maxHeap + hostMemory)
	if err != nil {
		return fmt.Errorf("quickjs: %w", err)
	}
	g, err := newInstance(ctx, v.engine.runtime, v.engine.module, memory)
	if err != nil {
		memory.Free()
		return fmt.Errorf("quickjs: %w", err)
	}
	image := v.engine.image
	grow := image.size/wasmPage - g.memory.Size()/wasmPage
	if _, ok := g.memory.Grow(grow); !ok {
		return errors.Join(errors.New("quickjs: no memory for the image"), g.close(ctx))
	}
	g.entries = image.entries
	v.instance, v.memory = g, memory
	return v.restore()
}

const wasmPage = 64 << 10

// Reset removes everything that the last run left. It does nothing if the VM is fresh. After
// an error, the VM must be closed.
func (v *VM) Reset(ctx context.Context) error {
	switch {
	case v.instance == nil:
		return errors.New("quickjs: the VM is closed")
	case v.fresh:
		return nil
	case v.instance.memory.Size() != v.engine.image.size:
		if err := v.Close(); err != nil {
			return err
		}
		return v.instantiate(ctx)
	}
	return v.restore()
}

func (v *VM) restore() error {
	if err := v.memory.restore(); err != nil {
		return err
	}
	g := v.instance
	g.stack.Set(v.engine.image.stack)
	g.fuel.Set(g.full)
	g.err, g.depth = nil, 0
	v.fresh = true
	return nil
}

// Warm prepares a fresh VM, so that its next run is a little faster.
func (v *VM) Warm() {
	if v.instance != nil && v.fresh {
		v.memory.warm(v.engine.image.hot)
	}
}

// Close frees the VM.
func (v *VM) Close() error {
	if v.instance == nil {
		return nil
	}
	err := v.instance.close(context.Background())
	v.instance, v.memory = nil, nil
	return err
}

// freshen gives a run its own random numbers and clock origin, because those of the image are
// the same in every run.
func (v *VM) freshen(start time.Time) {
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // never fails (crypto/rand)
	g := v.instance
	g.memory.WriteUint64Le(g.entries.context+randomState, binary.LittleEndian.Uint64(seed[:])|1)
	g.memory.WriteFloat64Le(g.entries.context+clockOrigin, float64(start.UnixMicro())/1000)
}
