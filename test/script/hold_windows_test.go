package script_test

import "golang.org/x/sys/windows"

// exclusive opens a file that no other process can open until release is called.
func exclusive(name string) (release func(), err error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	handle, err := windows.CreateFile(path, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0)
	return func() { _ = windows.CloseHandle(handle) }, err
}
