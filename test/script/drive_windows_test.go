package script_test

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/windows"
)

// ownConsole gives a command a console of its own, without a window. Only the processes of that console then receive
// the keys.
var ownConsole = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW}

var (
	kernel32      = windows.NewLazySystemDLL("kernel32.dll")
	freeConsole   = kernel32.NewProc("FreeConsole")
	attachConsole = kernel32.NewProc("AttachConsole")
)

// ctrlBreak reports whether a program can be sent the key Ctrl-Break. Wine has only Ctrl-C.
func ctrlBreak() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() != nil
}

// interrupt does what the keys Ctrl-C (INT) and Ctrl-Break (BREAK) do in the console of a process.
func interrupt(process *os.Process, what string) error {
	event, known := map[string]uint32{"INT": windows.CTRL_C_EVENT, "BREAK": windows.CTRL_BREAK_EVENT}[what]
	if !known {
		return fmt.Errorf("drive: %q is none of input, INT, BREAK", what)
	}
	signal.Notify(make(chan os.Signal, 2), os.Interrupt) // this process is at the console too
	_, _, _ = freeConsole.Call()                         // fails if it has none
	if ok, _, err := attachConsole.Call(uintptr(process.Pid)); ok == 0 {
		return fmt.Errorf("AttachConsole: %w", err)
	}
	err := windows.GenerateConsoleCtrlEvent(event, 0)
	_, _, _ = freeConsole.Call() // the console ends with its last process, and its host may hold the pipes of the command
	return err
}
