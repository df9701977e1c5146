package gateway_test

import (
	"os"
	"testing"

	"github.com/toolscript/toolscript/harness"
)

func TestMain(m *testing.M) {
	if code, is := harness.Helper(os.Args); is {
		os.Exit(code)
	}
	if len(os.Args) > 1 && os.Args[1] == fetchRole {
		fetchConfined(os.Args[2:])
		return
	}
	if len(os.Args) == 4 && os.Args[1] == breakRole {
		breakOut(os.Args[2], os.Args[3])
		return
	}
	os.Exit(m.Run())
}
