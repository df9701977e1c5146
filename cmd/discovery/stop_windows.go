package discovery

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/toolscript/toolscript/internal/proc"
)

// Stop asks the process to end: it sets the event that NotifyStop waits for. A process without the
// event is killed. Stop returns nil if the process has ended already.
func (p Process) Stop() error {
	if gone, _ := p.Gone(); gone {
		return nil
	}
	name, err := p.stopEvent()
	if err != nil {
		return err
	}
	event, err := windows.OpenEvent(windows.EVENT_MODIFY_STATE, false, name)
	if errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
		return p.signal(os.Kill, "stop")
	}
	if err != nil {
		return err
	}
	return errors.Join(windows.SetEvent(event), windows.CloseHandle(event))
}

// Hangup does nothing: Windows has no SIGHUP.
func (p Process) Hangup() error { return nil }

// stopEvent returns the name of the event that asks the process to end.
func (p Process) stopEvent() (*uint16, error) {
	return windows.UTF16PtrFromString(`Local\toolscript-stop-` + p.String())
}

// NotifyStop sends SIGTERM to a channel when another process of the user calls Stop for this one.
// Windows itself sends no signal to a process without a console. If the event cannot be made, Stop
// kills this process.
func NotifyStop(signals chan<- os.Signal) {
	self, err := Identify(os.Getpid())
	if err != nil {
		return
	}
	name, err := self.stopEvent()
	if err != nil {
		return
	}
	owner, err := proc.OwnerOnly()
	if err != nil {
		return
	}
	event, err := windows.CreateEvent(owner, 1, 0, name)
	if err != nil { // for example, another process has made the event before
		return
	}
	go func() {
		if state, err := windows.WaitForSingleObject(event, windows.INFINITE); err == nil && state == windows.WAIT_OBJECT_0 {
			signals <- syscall.SIGTERM
		}
	}()
}

// detached starts a process without a console, so that Ctrl-C in this console does not reach it.
var detached = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | 0x8} // DETACHED_PROCESS
