package terminal

import (
	"os"
	"testing"
)

// A character device that is not a terminal does not count as one.
func TestNullDeviceIsNoTerminal(t *testing.T) {
	file, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if Is(file) || Columns(file) != 0 {
		t.Errorf("%s is a terminal of %d columns", file.Name(), Columns(file))
	}
}
