package kit_test

import (
	"os/exec"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
)

// TestTerminal: a program reads what is typed at its terminal, and its output is shown.
func TestTerminal(t *testing.T) {
	terminal := kit.NewTerminal(t, 60)
	cmd := exec.Command("sh", "-c", "read x; stty size; echo got $x")
	cmd.Stdin, cmd.Stdout = terminal.Screen, terminal.Screen
	if _, err := terminal.Keyboard.WriteString("typed\n"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if got := terminal.Text(); got != "typed\n24 60\ngot typed\n" {
		t.Errorf("shown: %q", got)
	}
}

// TestCloseOfAnOpenTerminal: a terminal is closed although a program still has it open.
func TestCloseOfAnOpenTerminal(t *testing.T) {
	terminal := kit.NewTerminal(t, 80)
	cmd := exec.Command("cat")
	cmd.Stdin, cmd.Stdout = terminal.Screen, terminal.Screen
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := terminal.Close(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it fails, because its terminal has gone
}
