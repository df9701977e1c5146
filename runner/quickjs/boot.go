package quickjs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/toolscript/toolscript/runner/quickjs/prelude"
	"github.com/toolscript/toolscript/runner/report"
)

// ownFiles starts the names of our files in stack traces.
const ownFiles = "toolscript:"

const (
	defaultHeap  = 96 << 20
	largestStack = 512 << 10 // the C stack of the engine is 1 MiB, and this is half of it
	// roomy is how far the memory is grown before the snapshot: a guest whose
	// memory grew in its run must be made anew, since the allocator in the image
	// does not know of the growth.
	roomy = 16 << 20
	// hostRoom is what a memory may hold beyond the script's limit: the image,
	// and what the host puts in.
	hostRoom = 32 << 20
)

// boot runs the engine up to the point where scripts begin.
func (e *Engine) boot(ctx context.Context) (snapshot, error) {
	memory, err := newBootMemory(defaultHeap)
	if err != nil {
		return snapshot{}, err
	}
	g, err := newGuest(ctx, e.runtime, e.module, memory)
	if err != nil {
		memory.Free()
		return snapshot{}, err
	}
	defer func() { _ = g.close(ctx) }() // what it held is in the snapshot
	if err := g.boot(); err != nil {
		return snapshot{}, errors.Join(err, g.err)
	}
	return g.snapshot()
}

func (g *guest) boot() error {
	g.call(fnInitialize)
	if g.call(fnInit) != 0 {
		return errors.New("the engine does not start")
	}
	g.call(fnSetMemoryLimit, defaultHeap)
	g.call(fnSetStackSize, largestStack)
	for _, handler := range []function{fnSetInterruptHandler, fnSetRejectionHandler, fnSetModuleLoader} {
		g.call(handler, 1)
	}
	g.entries.scratch = uint32(g.call(fnMalloc, scratchSize))
	g.entries.runtime = uint32(g.call(fnRuntimePointer))
	g.entries.context = uint32(g.call(fnContextPointer))

	host, internal := g.newHost(), box(g.call(fnNewObject))
	for _, part := range prelude.Parts() {
		if err := g.evalPart(part, host, internal); err != nil {
			return err
		}
	}
	for _, entry := range []struct {
		at   *box
		name string
	}{
		{&g.entries.begin, "begin"}, {&g.entries.settle, "settle"}, {&g.entries.fire, "fire"},
		{&g.entries.feed, "feed"}, {&g.entries.finish, "finish"}, {&g.entries.describe, "describe"},
	} {
		*entry.at = g.get(internal, entry.name)
	}
	if err := g.evalModule(); err != nil {
		return err
	}
	if err := g.evalPart(prelude.Harden, host, internal); err != nil {
		return err
	}
	g.free(host, internal)
	g.call(fnCollect)
	room := g.call(fnMalloc, roomy)
	if room == 0 {
		return errors.New("the engine's memory does not grow")
	}
	g.call(fnFree, room)
	return g.err
}

// newHost is an object with the operations that the prelude may call. No script
// ever sees it.
func (g *guest) newHost() box {
	host := box(g.call(fnNewObject))
	for _, name := range slices.Sorted(maps.Keys(operations)) { // sorted, so that all images are the same
		p := g.place(name)
		f := box(g.call(fnNewFunction, uint64(p), uint64(len(name)), 0))
		g.release(p)
		g.set(host, name, f)
		g.free(f)
	}
	return host
}

// evalPart runs one part of the prelude. The arguments stay the caller's.
func (g *guest) evalPart(part string, args ...box) error {
	source, err := prelude.Source(part)
	if err != nil {
		return err
	}
	result, thrown := g.eval(source, ownFiles+part, evalScript)
	if !thrown {
		function := result
		given := make([]box, len(args))
		for i, a := range args {
			given[i] = box(g.call(fnDuplicate, uint64(a)))
		}
		result, thrown = g.invoke(function, given...)
		g.free(function)
	}
	return g.bootError(part, result, thrown)
}

// evalModule evaluates the module that scripts import. An import finds it only
// when it was evaluated before the snapshot.
func (g *guest) evalModule() error {
	source, err := prelude.Source(prelude.Module)
	if err != nil {
		return err
	}
	promise, thrown := g.eval(source, report.Module, evalModule)
	for !thrown && g.call(fnIsJobPending) != 0 {
		g.call(fnExecuteJob)
	}
	if !thrown && g.call(fnPromiseState, uint64(promise)) != promiseFulfilled {
		promise, thrown = box(g.call(fnPromiseResult, uint64(promise))), true
	}
	return g.bootError("module", promise, thrown)
}

func (g *guest) bootError(part string, result box, thrown bool) error {
	defer g.free(result)
	if g.err != nil || !thrown {
		return g.err
	}
	return fmt.Errorf("prelude/%s.js: %s\n%s", part, g.text(g.get(result, "message")), g.text(g.get(result, "stack")))
}
