package budget_test

import (
	"testing"

	"github.com/toolscript/toolscript/internal/budget"
)

func TestCache(t *testing.T) {
	c := budget.NewCache[string, int](3, 100)
	has := func(want bool, keys ...string) {
		t.Helper()
		for _, key := range keys {
			if _, ok := c.Get(key); ok != want {
				t.Errorf("%s is there: %t", key, ok)
			}
		}
	}
	for i, key := range []string{"a", "b", "c"} {
		if c.Put(key, i, 10) {
			t.Errorf("%s drops others", key)
		}
	}
	has(true, "b", "c", "a")
	if !c.Put("d", 3, 10) || c.Len() != 3 || c.Bytes() != 30 {
		t.Errorf("a fourth: %d values, %d bytes", c.Len(), c.Bytes())
	}
	has(false, "b")
	has(true, "c", "d", "a")
	if !c.Grow("a", 75) || c.Grow("b", 1000) || c.Len() != 2 || c.Bytes() != 95 {
		t.Errorf("a large one: %d values, %d bytes", c.Len(), c.Bytes())
	}
	has(false, "c")
	if !c.Put("e", 4, 500) || c.Len() != 1 || c.Bytes() != 500 {
		t.Errorf("one beyond the bound: %d values, %d bytes", c.Len(), c.Bytes())
	}
	if v, ok := c.Get("e"); v != 4 || !ok {
		t.Errorf("got %d, %t", v, ok)
	}
}
