// Package quickjs runs scripts on QuickJS-NG, compiled to WebAssembly and run by
// wazero. It belongs into a worker process: code compiled by wazero holds up
// Go's collector while it runs.
//
// An Engine is compiled once and holds one memory image: a runtime with the
// prelude loaded and all intrinsics frozen. A VM is an instance of that image,
// and Reset makes it fresh in microseconds, so that every run begins with the
// image and with nothing of the run before it.
package quickjs

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
)

// Options say how an engine is made. The zero value works.
type Options struct {
	// CacheDir keeps the compiled engine from one process to the next. The
	// caller vouches for its owner and mode, as machine code is loaded from it.
	// Empty: it is compiled every time, which takes half a second.
	CacheDir string
	// MaxMemoryMB is the largest Limits.MemoryMB that a job may ask for; default
	// 1024. As much address space is reserved by each VM, and no memory.
	MaxMemoryMB int64

	copying bool // keep the image as most systems must, so that tests see it here
}

const defaultMaxMemoryMB = 1024

// Engine is the compiled engine and its image. It is safe for concurrent use.
type Engine struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache // nil without a CacheDir
	module  wazero.CompiledModule
	image   *image
	maxHeap uint64
	closed  atomic.Bool
}

// NewEngine compiles the engine and builds its image. It does everything that a
// process must be allowed to do before it is locked down: the VMs need no more
// than mapping memory that is not executable.
func NewEngine(ctx context.Context, o Options) (*Engine, error) {
	e := &Engine{maxHeap: uint64(defaultMaxMemoryMB) << 20}
	if o.MaxMemoryMB > 0 {
		e.maxHeap = uint64(min(o.MaxMemoryMB, 3<<10)) << 20 // a memory of 32 bits ends at 4 GiB
	}
	if err := e.compile(ctx, o.CacheDir); err != nil {
		if o.CacheDir == "" {
			return nil, errors.Join(err, e.Close())
		}
		// A cache that is damaged, or on a full disk, costs time and not the run.
		_ = e.Close()
		e.closed.Store(false)
		e.runtime, e.cache = nil, nil
		if err := e.compile(ctx, ""); err != nil {
			return nil, errors.Join(err, e.Close())
		}
	}
	snapshot, err := e.boot(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("quickjs: build the image: %w", err), e.Close())
	}
	e.image = newImage(snapshot, o.copying)
	if e.image.hot, err = e.rehearse(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("quickjs: %w", err), e.Close())
	}
	return e, nil
}

func (e *Engine) compile(ctx context.Context, cacheDir string) error {
	// CloseOnContextDone stays off: it makes scripts five times slower, and fuel
	// does its work.
	config := wazero.NewRuntimeConfigCompiler()
	if cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
		if err != nil {
			return fmt.Errorf("quickjs: open the compilation cache: %w", err)
		}
		e.cache = cache
		config = config.WithCompilationCache(cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := provideImports(ctx, e.runtime); err != nil {
		return fmt.Errorf("quickjs: %w", err)
	}
	module, err := e.runtime.CompileModule(ctx, engineWasm)
	if err != nil {
		return fmt.Errorf("quickjs: compile the engine: %w", err)
	}
	e.module = module
	return nil
}

// Close frees the engine. Its VMs must be closed before.
func (e *Engine) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	ctx := context.Background()
	var errs []error
	if e.runtime != nil {
		errs = append(errs, e.runtime.Close(ctx))
	}
	if e.cache != nil {
		errs = append(errs, e.cache.Close(ctx))
	}
	if e.image != nil {
		errs = append(errs, e.image.close())
	}
	return errors.Join(errs...)
}
