package confirm

import (
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// look reads the table of processes, which has neither arguments nor environments.
func look(pid int) (process, bool) {
	table, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return process{}, false
	}
	defer func() { _ = windows.CloseHandle(table) }() // it was only read
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(table, &entry); err == nil; err = windows.Process32Next(table, &entry) {
		if entry.ProcessID != uint32(pid) { //nolint:gosec // the id of a process is 32 bits
			continue
		}
		name := strings.ToLower(windows.UTF16ToString(entry.ExeFile[:]))
		p := process{name: strings.TrimSuffix(name, filepath.Ext(name))}
		if began(entry.ParentProcessID) <= began(entry.ProcessID) { // otherwise the parent has ended, and its id belongs to another process
			p.parent = int(entry.ParentProcessID)
		}
		return p, true
	}
	return process{}, false
}

// began returns when a process was started, in nanoseconds since 1970; 0 if that is unknown.
func began(pid uint32) int64 {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return 0
	}
	defer func() { _ = windows.CloseHandle(handle) }() // it was only read
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(handle, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return created.Nanoseconds()
}
