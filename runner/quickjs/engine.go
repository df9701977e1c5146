// Package quickjs runs scripts on QuickJS-NG, compiled to WebAssembly and executed by wazero.
// It must run in a worker process: while code compiled by wazero runs, it blocks Go's garbage
// collector.
//
// An Engine is compiled once and has one memory image: a runtime with the prelude loaded and
// all intrinsics frozen. A VM is an instance of this image. Reset restores the image in
// microseconds, so no run sees anything of earlier runs. See docs/design/sandbox.md.
package quickjs

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
)

// Options configure an engine. The zero value works.
type Options struct {
	// CacheDir is the folder that keeps the compiled engine and its image between processes.
	// The caller must check its owner and mode, because machine code is loaded from it. If it
	// is empty, the engine is compiled every time, which takes half a second.
	CacheDir string

	copying bool // copy the image, as on systems other than Linux; for tests
}

// maxHeap is the maximal heap of a job in bytes. Each VM reserves address space of this size,
// but no memory.
const maxHeap = 1 << 30

// Engine is the compiled engine and its image. It is safe for concurrent use.
type Engine struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache // nil without a CacheDir
	module  wazero.CompiledModule
	image   *image
	closed  atomic.Bool
}

// NewEngine compiles the engine and builds its image. It must be called before the process is
// confined. VMs can be created afterwards, because they only map memory that is not executable.
func NewEngine(ctx context.Context, o Options) (*Engine, error) {
	e := &Engine{}
	defer fillCache(ctx, o.CacheDir)()
	if err := e.compile(ctx, o.CacheDir); err != nil {
		if o.CacheDir == "" {
			return nil, errors.Join(err, e.Close())
		}
		// With a damaged cache or a full disk, compile without the cache.
		_ = e.Close()
		e.closed.Store(false)
		e.runtime, e.cache = nil, nil
		if err := e.compile(ctx, ""); err != nil {
			return nil, errors.Join(err, e.Close())
		}
	}
	if err := e.makeImage(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("quickjs: build the image: %w", err), e.Close())
	}
	return e, nil
}

// makeImage reads the image from the cache, or boots the engine.
func (e *Engine) makeImage(ctx context.Context, o Options) error {
	file, err := newImageFile(o.CacheDir)
	if err != nil {
		return err
	}
	if o.CacheDir != "" {
		if snapshot, hot, err := file.read(); err == nil {
			e.image = newImage(snapshot, o.copying)
			e.image.hot = hot
			return nil
		}
	}
	snapshot, err := e.boot(ctx)
	if err != nil {
		return err
	}
	e.image = newImage(snapshot, o.copying)
	if e.image.hot, err = e.rehearse(ctx); err != nil || o.CacheDir == "" {
		return err
	}
	_ = file.write(snapshot, e.image.hot) // without the file, the next start takes longer
	return nil
}

func (e *Engine) compile(ctx context.Context, cacheDir string) error {
	// CloseOnContextDone stays off: it makes scripts five times slower, and fuel also stops
	// scripts.
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

// Close frees the engine. Its VMs must have been closed.
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
