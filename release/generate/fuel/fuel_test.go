package fuel_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/toolscript/toolscript/release/generate/fuel"
)

// small is a module that imports env.ask and exports spin(n), which loops n times, fill(n) and copy(n),
// which each move n bytes, and calm(), which does neither. Its only global is a counter of its own.
var small = module(
	section(1, "\x03\x60\x00\x01\x7f\x60\x01\x7f\x01\x7f\x60\x00\x00"), // ()→i32, (i32)→i32, ()→()
	section(2, "\x01\x03env\x03ask\x00\x00"),
	section(3, "\x04\x01\x01\x01\x00"),
	section(5, "\x01\x00\x20"), // 32 pages
	section(6, "\x01\x7f\x01\x41\x2a\x0b"),
	section(7, "\x04\x04spin\x00\x01\x04fill\x00\x02\x04copy\x00\x03\x04calm\x00\x04"),
	section(10, "\x04"+
		// Local 1 counts down from local 0; local 2 has another type.
		body("\x02\x01\x7f\x01\x7c"+"\x20\x00\x21\x01\x03\x40\x20\x01\x41\x01\x6b\x22\x01\x0d\x00\x0b\x20\x01\x0b")+
		body("\x00"+"\x41\x00\x41\x07\x20\x00\xfc\x0b\x00\x41\x00\x2d\x00\x00\x0b")+
		body("\x00"+"\x41\x01\x41\x00\x20\x00\xfc\x0a\x00\x00\x41\x00\x0b")+
		body("\x00"+"\x23\x00\x0b")),
)

// shapes is a module with the different shapes of branches and loops. nest(n) has n
// iterations of an outer loop, each with three iterations of an inner loop; a branch
// table in the inner loop leads to both loops and out of them. value(n) loops n times
// and leaves a result. carry(n) counts n down in the parameter of its loop.
var shapes = module(
	section(1, "\x03\x60\x00\x01\x7f\x60\x01\x7f\x01\x7f\x60\x00\x00"), // ()→i32, (i32)→i32, ()→()
	section(2, "\x01\x03env\x03ask\x00\x00"),
	section(3, "\x03\x01\x01\x01"),
	section(6, "\x01\x7f\x01\x41\x2a\x0b"),
	section(7, "\x03\x04nest\x00\x01\x05value\x00\x02\x05carry\x00\x03"),
	section(10, "\x03"+
		body("\x01\x02\x7f"+
			"\x02\x40\x03\x40"+ // block, loop: leave if local 0 is 0, otherwise decrement it
			"\x20\x00\x45\x0d\x01\x20\x00\x41\x01\x6b\x21\x00\x41\x03\x21\x01"+
			"\x03\x40\x02\x40"+ // loop, block: increment local 2, and decrement local 1 from 3
			"\x20\x02\x41\x01\x6a\x21\x02\x20\x01\x41\x01\x6b\x22\x01"+
			"\x0e\x03\x02\x01\x00\x03"+ // by local 1: 0 the outer loop, 1 the inner, 2 its block, otherwise out
			"\x0b\x0c\x00\x0b\x0b\x0b\x20\x02\x0b")+
		body("\x00"+"\x03\x7f\x20\x00\x41\x01\x6b\x22\x00\x0d\x00\x41\x09\x0b\x0b")+
		body("\x00"+"\x20\x00\x03\x01\x41\x01\x6b\x22\x00\x20\x00\x0d\x00\x0b\x0b")),
)

func module(sections ...string) []byte {
	return []byte("\x00asm\x01\x00\x00\x00" + strings.Join(sections, ""))
}

func section(id byte, content string) string { return string(id) + leb(len(content)) + content }

func body(code string) string { return leb(len(code)) + code }

func leb(n int) string {
	if n < 128 {
		return string([]byte{byte(n)})
	}
	return string([]byte{byte(n&127) | 128, byte(n >> 7)})
}

var options = fuel.Options{Module: "env", Function: "ask", Export: "fuel", Refill: 1000}

// instance runs a rewritten module. asked counts the calls of the import; the call with the number
// last returns stop.
type instance struct {
	api.Module
	asked, last int
}

func instantiate(t *testing.T, wasm []byte) *instance {
	t.Helper()
	i := &instance{last: -1}
	runtime := wazero.NewRuntime(t.Context())
	t.Cleanup(func() { _ = runtime.Close(context.Background()) }) // closing writes no data
	_, err := runtime.NewHostModuleBuilder("env").NewFunctionBuilder().WithFunc(func() uint32 {
		i.asked++
		if i.asked == i.last {
			return 1
		}
		return 0
	}).Export("ask").Instantiate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if i.Module, err = runtime.Instantiate(t.Context(), wasm); err != nil {
		t.Fatal(err)
	}
	return i
}

func (i *instance) call(t *testing.T, name string, args ...uint64) (uint64, error) {
	t.Helper()
	results, err := i.ExportedFunction(name).Call(t.Context(), args...)
	if err != nil {
		return 0, err
	}
	return results[0], nil
}

func rewrite(t *testing.T, wasm []byte) []byte {
	t.Helper()
	out, err := fuel.Rewrite(wasm, options)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLoopsUseFuel(t *testing.T) {
	i := instantiate(t, rewrite(t, small))
	if _, err := i.call(t, "spin", 10_500); err != nil || i.asked != 10 {
		t.Errorf("10,500 turns asked %d times (%v), want 10 times", i.asked, err)
	}
	// The iteration that calls the import uses fuel twice.
	if left := int32(i.ExportedGlobal("fuel").Get()); left != 490 {
		t.Errorf("fuel = %d, want 490", left)
	}
}

func TestBlocksUseFuel(t *testing.T) {
	for _, name := range []string{"fill", "copy"} {
		i := instantiate(t, rewrite(t, small))
		for range 10 {
			if _, err := i.call(t, name, 64*500); err != nil {
				t.Fatal(err)
			}
		}
		if i.asked != 5 {
			t.Errorf("10 times 500 blocks by %s asked %d times, want 5", name, i.asked)
		}
		if _, err := i.call(t, name, 64*5000); err != nil || i.asked != 6 {
			t.Errorf("a move of more than all fuel asked %d times (%v), want once", i.asked-5, err)
		}
	}
}

func TestRefusedFuelTraps(t *testing.T) {
	i := instantiate(t, rewrite(t, small))
	i.last = 3
	if _, err := i.call(t, "spin", 1_000_000); err == nil || !strings.Contains(err.Error(), "unreachable") {
		t.Errorf("error = %v, want a trap", err)
	}
	if i.asked != 3 {
		t.Errorf("asked %d times, want 3", i.asked)
	}
	// The fuel is still used up, so the next loop calls the import in its first
	// iteration.
	if _, err := i.call(t, "spin", 1); err != nil || i.asked != 4 {
		t.Errorf("after a trap one turn asked %d times (%v), want once", i.asked-3, err)
	}
}

func TestResultsAreUnchanged(t *testing.T) {
	i := instantiate(t, rewrite(t, small))
	for name, want := range map[string]uint64{"spin": 0, "fill": 7, "copy": 0, "calm": 42} {
		var args []uint64
		if name != "calm" {
			args = []uint64{100}
		}
		if got, err := i.call(t, name, args...); err != nil || got != want {
			t.Errorf("%s = %d (%v), want %d", name, got, err, want)
		}
	}
}

func TestBranchTargetsAreKept(t *testing.T) {
	for _, c := range []struct {
		name                       string
		turns, result, heads, asks int
	}{
		{"nest", 0, 0, 1, 0},
		{"nest", 1000, 3000, 4001, 4}, // each iteration of both loops, and the last one that leaves
		{"value", 3000, 9, 3000, 3},
		{"carry", 3000, 0, 3000, 3},
	} {
		for kind, wasm := range map[string][]byte{"as it was": shapes, "rewritten": rewrite(t, shapes)} {
			i := instantiate(t, wasm)
			if got, err := i.call(t, c.name, uint64(c.turns)); err != nil || got != uint64(c.result) {
				t.Errorf("%s(%d) %s = %d (%v), want %d", c.name, c.turns, kind, got, err, c.result)
			}
			if kind == "rewritten" && i.asked != c.asks {
				t.Errorf("%s(%d) passes %d loop heads and asked %d times, want %d", c.name, c.turns, c.heads, i.asked, c.asks)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for name, wasm := range map[string][]byte{
		"no module":           []byte("text"),
		"an empty module":     module(),
		"a cut module":        small[:len(small)-3],
		"no such import":      []byte(strings.Replace(string(small), "\x03ask", "\x03ack", 1)),
		"an unknown opcode":   []byte(strings.Replace(string(small), "\x23\x00\x0b", "\xfd\x00\x0b", 1)),
		"a branch to nowhere": []byte(strings.Replace(string(small), "\x22\x01\x0d\x00", "\x22\x01\x0d\x07", 1)),
		"a loop of no type":   []byte(strings.Replace(string(small), "\x03\x40\x20\x01", "\x03\x07\x20\x01", 1)),
		"an end too many":     []byte(strings.Replace(string(small), "\x23\x00\x0b", "\x0b\x0b\x0b", 1)),
		"an imported global":  []byte(strings.Replace(string(small), "\x03ask\x00\x00", "\x03ask\x03\x7f", 1)),
	} {
		if _, err := fuel.Rewrite(wasm, options); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestEngineCanBeRewritten rewrites the engine a second time, because it is the
// largest module in the repository.
func TestEngineCanBeRewritten(t *testing.T) {
	wasm, err := os.ReadFile("../../../runner/quickjs/quickjs.wasm")
	if err != nil {
		t.Fatal(err)
	}
	twice, err := fuel.Rewrite(wasm, fuel.Options{Module: "env", Function: "host_interrupt", Export: "more_fuel", Refill: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	runtime := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
	defer runtime.Close(t.Context()) //nolint:errcheck // closing writes no data
	compiled, err := runtime.CompileModule(t.Context(), twice)
	if err != nil {
		t.Fatal(err)
	}
	if len(compiled.ExportedFunctions()) < 400 {
		t.Errorf("%d exports are left, want all 400 and more", len(compiled.ExportedFunctions()))
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add(small)
	f.Add(small[:40])
	f.Add(shapes)
	f.Fuzz(func(t *testing.T, wasm []byte) {
		out, err := fuel.Rewrite(wasm, options)
		if err != nil {
			if errors.Unwrap(err) == nil && err.Error() == "" {
				t.Error("an error without a text")
			}
			return
		}
		runtime := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
		defer runtime.Close(t.Context()) //nolint:errcheck // closing writes no data
		if _, err := runtime.CompileModule(t.Context(), wasm); err != nil {
			return // a broken module can give a broken result
		}
		if _, err := runtime.CompileModule(t.Context(), out); err != nil {
			t.Errorf("a valid module became invalid: %v", err)
		}
	})
}
