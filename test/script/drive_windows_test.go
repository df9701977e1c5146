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
	kernel32           = windows.NewLazySystemDLL("kernel32.dll")
	freeConsole        = kernel32.NewProc("FreeConsole")
	attachConsole      = kernel32.NewProc("AttachConsole")
	createRemoteThread = kernel32.NewProc("CreateRemoteThread")
	ctrlRoutine        = windows.NewLazySystemDLL("kernelbase.dll").NewProc("CtrlRoutine")
)

// onWine reports whether this Windows is Wine, whose console has only Ctrl-C.
func onWine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}

// interrupt does what the keys Ctrl-C (INT) and Ctrl-Break (BREAK) do in the console of a process, and what closing its
// window does (TERM).
func interrupt(process *os.Process, what string) error {
	event, known := map[string]uint32{"INT": windows.CTRL_C_EVENT, "BREAK": windows.CTRL_BREAK_EVENT, "TERM": windows.CTRL_CLOSE_EVENT}[what]
	if !known {
		return fmt.Errorf("drive: %q is none of input, INT, BREAK, TERM", what)
	}
	if event == windows.CTRL_CLOSE_EVENT || event == windows.CTRL_BREAK_EVENT && onWine() {
		return handlers(process, event)
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

// handlers runs the handlers of a process for an event of its console as Windows does: in a new thread of the process,
// by a routine of the system library, which has the same address in all processes.
func handlers(process *os.Process, event uint32) error {
	const access = windows.PROCESS_CREATE_THREAD | windows.PROCESS_QUERY_INFORMATION | windows.PROCESS_VM_OPERATION | windows.PROCESS_VM_READ | windows.PROCESS_VM_WRITE
	handle, err := windows.OpenProcess(access, false, uint32(process.Pid)) //nolint:gosec // the id of a process is 32 bits
	if err != nil {
		return fmt.Errorf("OpenProcess: %w", err)
	}
	defer windows.CloseHandle(handle) //nolint:errcheck // nothing was written
	thread, _, err := createRemoteThread.Call(uintptr(handle), 0, 0, ctrlRoutine.Addr(), uintptr(event), 0, 0)
	if thread == 0 {
		return fmt.Errorf("CreateRemoteThread: %w", err)
	}
	return windows.CloseHandle(windows.Handle(thread))
}
