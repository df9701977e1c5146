package quickjs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/toolscript/toolscript/runner/quickjs/prelude"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// ownFiles is the prefix of the prelude's files in stack traces.
const ownFiles = "toolscript:"

const (
	defaultHeap  = 96 << 20
	largestStack = 512 << 10 // half of the engine's C stack of 1 MiB
	// snapshotMemory is the size to which the memory grows before the snapshot. If the memory
	// of an instance grows during a run, the instance cannot be reused, because the allocator
	// in the image does not know the additional memory.
	snapshotMemory = 16 << 20
	// hostMemory is the memory in addition to the script's limit, for the image and for
	// values of the host.
	hostMemory = 32 << 20
)

// boot starts the engine, loads the prelude and returns a snapshot, with which scripts begin.
func (e *Engine) boot(ctx context.Context) (snapshot, error) {
	memory, err := newBootMemory(defaultHeap)
	if err != nil {
		return snapshot{}, err
	}
	g, err := newInstance(ctx, e.runtime, e.module, memory)
	if err != nil {
		memory.Free()
		return snapshot{}, err
	}
	defer func() { _ = g.close(ctx) }() // the snapshot has everything
	if err := g.boot(); err != nil {
		return snapshot{}, errors.Join(err, g.err)
	}
	return g.snapshot()
}

func (in *instance) boot() error {
	in.call(fnInitialize)
	if in.call(fnInit) != 0 {
		return errors.New("the engine does not start")
	}
	in.call(fnSetMemoryLimit, defaultHeap)
	in.call(fnSetStackSize, largestStack)
	for _, handler := range []function{fnSetInterruptHandler, fnSetRejectionHandler, fnSetModuleLoader} {
		in.call(handler, 1)
	}
	in.entries.scratch = uint32(in.call(fnMalloc, scratchSize))
	in.memory.WriteUint32Le(in.entries.scratch+scratchEmpty, 0)
	in.entries.runtime = uint32(in.call(fnRuntimePointer))
	in.entries.context = uint32(in.call(fnContextPointer))

	host, internal := in.newHost(), handle(in.call(fnNewObject))
	for _, part := range prelude.Parts() {
		if err := in.evalPart(part, host, internal); err != nil {
			return err
		}
	}
	for _, entry := range []struct {
		at   *handle
		name string
	}{
		{&in.entries.begin, "begin"}, {&in.entries.settle, "answered"}, {&in.entries.parse, "parseExact"}, {&in.entries.fire, "fire"},
		{&in.entries.feed, "feed"}, {&in.entries.apply, "call"}, {&in.entries.finish, "finish"}, {&in.entries.describe, "describe"},
		{&in.entries.giveUp, "giveUp"},
	} {
		*entry.at = in.get(internal, entry.name)
	}
	if err := in.evalModule(); err != nil {
		return err
	}
	if err := in.evalPart(prelude.Harden, host, internal); err != nil {
		return err
	}
	in.free(host, internal)
	in.entries.objects, in.entries.arrays = in.prototype("({})"), in.prototype("[]")
	in.call(fnCollect)
	room := in.call(fnMalloc, snapshotMemory)
	if room == 0 {
		return errors.New("the engine's memory does not grow")
	}
	in.call(fnFree, room)
	return in.err
}

// prototype returns the address of the prototype of the value of an expression.
func (in *instance) prototype(expression string) uint32 {
	made, _ := in.eval(expression, ownFiles+"boot", evalScript)
	defer in.free(made)
	h := in.heap()
	_, at := h.value(uint32(made))
	return h.word(h.object(at).shape + shapeProto)
}

// newHost returns an object with the operations that the prelude may call. Scripts
// never see it.
func (in *instance) newHost() handle {
	host := handle(in.call(fnNewObject))
	for _, name := range slices.Sorted(maps.Keys(operations)) { // sorted, so that all images are equal
		p := in.place(name)
		f := handle(in.call(fnNewFunction, uint64(p), uint64(len(name)), 0))
		in.release(p)
		in.set(host, name, f)
		in.free(f)
	}
	return host
}

// evalPart runs one part of the prelude with args, which the caller still owns.
func (in *instance) evalPart(part string, args ...handle) error {
	source, err := prelude.Source(part)
	if err != nil {
		return err
	}
	result, thrown := in.eval(source, ownFiles+part, evalScript)
	if !thrown {
		function := result
		given := make([]handle, len(args))
		for i, a := range args {
			given[i] = in.duplicate(a)
		}
		result, thrown = in.invoke(function, given...)
		in.free(function)
	}
	return in.bootError(part, result, thrown)
}

// evalModule evaluates the module that scripts import. Imports only find the module if it was
// evaluated before the snapshot.
func (in *instance) evalModule() error {
	source, err := prelude.Source(prelude.Module)
	if err != nil {
		return err
	}
	promise, thrown := in.eval(source, scripterror.Module, evalModule)
	for !thrown && in.call(fnIsJobPending) != 0 {
		in.call(fnExecuteJob)
	}
	if !thrown && in.call(fnPromiseState, uint64(promise)) != promiseFulfilled {
		promise, thrown = handle(in.call(fnPromiseResult, uint64(promise))), true
	}
	return in.bootError("module", promise, thrown)
}

func (in *instance) bootError(part string, result handle, thrown bool) error {
	defer in.free(result)
	if in.err != nil || !thrown {
		return in.err
	}
	return fmt.Errorf("prelude/%s.js: %s\n%s", part, in.text(in.get(result, "message")), in.text(in.get(result, "stack")))
}
