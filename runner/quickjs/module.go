package quickjs

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

func provideImports(ctx context.Context, runtime wazero.Runtime) error {
	for name, functions := range map[string][]imported{"env": environment, "wasi_snapshot_preview1": wasi} {
		module := runtime.NewHostModuleBuilder(name)
		for _, f := range functions {
			call := api.GoFunc(func(ctx context.Context, stack []uint64) {
				f.call(ctx.Value(guestKey{}).(*instance), stack)
			})
			module.NewFunctionBuilder().WithGoFunction(call, f.params, f.results).Export(f.name)
		}
		if _, err := module.Instantiate(ctx); err != nil {
			return fmt.Errorf("provide %s: %w", name, err)
		}
	}
	return nil
}

// newInstance returns an instance that uses the given memory.
func newInstance(ctx context.Context, runtime wazero.Runtime, module wazero.CompiledModule, memory experimental.LinearMemory) (*instance, error) {
	g := &instance{}
	allocator := experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return memory })
	// Without a name, any number of instances can exist; without start functions, the
	// image is not initialized a second time.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	mod, err := runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, allocator), module, config)
	if err != nil {
		return nil, fmt.Errorf("instantiate the engine: %w", err)
	}
	g.module, g.memory = mod, mod.Memory()
	g.ctx = context.WithValue(context.Background(), guestKey{}, g)
	for f, name := range functionNames {
		if g.functions[f] = mod.ExportedFunction(name); g.functions[f] == nil {
			return nil, errors.Join(fmt.Errorf("the engine does not export %s", name), g.close(ctx))
		}
	}
	g.stack = mod.ExportedGlobal("__stack_pointer").(api.MutableGlobal)
	g.fuel = mod.ExportedGlobal("fuel").(api.MutableGlobal)
	g.full = g.fuel.Get()
	return g, nil
}

func (in *instance) close(ctx context.Context) error { return in.module.Close(ctx) }
