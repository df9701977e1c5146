package quickjs

import (
	"encoding/binary"
	"testing"
)

// FuzzFrames reads frames and their trace from memory that an attack may have changed.
func FuzzFrames(f *testing.F) {
	words := make([]byte, 1<<12) // structures that refer to others in the memory
	for at := 0; at < len(words); at += 4 {
		binary.LittleEndian.PutUint32(words[at:], uint32(at/8*4))
	}
	f.Add(words, uint32(0))
	f.Add(make([]byte, 1<<10), uint32(4))
	f.Fuzz(func(t *testing.T, memory []byte, runtime uint32) {
		h := jsHeap{memory: memory, atoms: runtime / 2}
		all := h.frames(runtime)
		for i := range all {
			if i%2 == 0 {
				all[i].code = all[i].function
			}
		}
		if text := h.trace(all); len(all) > maxFrames || len(text) > maxFrames*(3*3*maxText+100) {
			t.Errorf("%d frames with a trace of %d bytes", len(all), len(text))
		}
	})
}
