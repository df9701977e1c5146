package mcpclient_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestFindProgramWithoutDrive: a path that begins with a backslash begins at the root of the drive of the working folder.
func TestFindProgramWithoutDrive(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg := upstream.Config{Command: own[len(filepath.VolumeName(own)):], Dir: filepath.VolumeName(own) + `\Windows`}
	if err := mcpclient.FindProgram(os.Environ(), cfg); err != nil {
		t.Errorf("%s: %v", cfg.Command, err)
	}
}
