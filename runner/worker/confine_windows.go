package worker

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/toolscript/toolscript"
)

// lowIntegrity is the level of a worker: it cannot write to files, keys and processes of the user.
// It can read files, as on every level.
const lowIntegrity = "S-1-16-4096"

var createRestrictedToken = windows.NewLazySystemDLL("advapi32.dll").NewProc("CreateRestrictedToken")

// restrictedToken returns the token of this process without its privileges, and without the rights of
// the administrators.
func restrictedToken() (windows.Token, error) {
	const disableMaxPrivilege = 1
	var own, restricted windows.Token
	access := uint32(windows.TOKEN_DUPLICATE | windows.TOKEN_ASSIGN_PRIMARY | windows.TOKEN_QUERY | windows.TOKEN_ADJUST_DEFAULT)
	if err := windows.OpenProcessToken(windows.CurrentProcess(), access, &own); err != nil {
		return 0, fmt.Errorf("OpenProcessToken: %w", err)
	}
	defer func() { _ = own.Close() }()
	administrators, err := windows.CreateWellKnownSid(windows.WinBuiltinAdministratorsSid)
	if err != nil {
		return 0, fmt.Errorf("CreateWellKnownSid: %w", err)
	}
	denied := []windows.SIDAndAttributes{{Sid: administrators}}
	done, _, err := createRestrictedToken.Call(uintptr(own), disableMaxPrivilege, uintptr(len(denied)), uintptr(unsafe.Pointer(&denied[0])),
		0, 0, 0, 0, uintptr(unsafe.Pointer(&restricted)))
	if done == 0 {
		return 0, fmt.Errorf("CreateRestrictedToken: %w", err)
	}
	return restricted, nil
}

// confineSelf confines the worker process, because a script may take it over later, and reports which
// restrictions are active. The worker must have opened everything that it needs.
func confineSelf() ([]toolscript.Confinement, error) {
	var token windows.Token
	if err := windows.OpenProcessToken(windows.CurrentProcess(), windows.TOKEN_ADJUST_DEFAULT|windows.TOKEN_QUERY, &token); err != nil {
		return nil, fmt.Errorf("OpenProcessToken: %w", err)
	}
	defer func() { _ = token.Close() }()
	integrity, err := lowerIntegrity(token)
	if err != nil {
		return nil, err
	}
	return []toolscript.Confinement{
		{Name: "environment", Active: len(os.Environ()) == 0, Detail: fmt.Sprintf("%d variables", len(os.Environ()))},
		{Name: "process group", Active: true, Detail: "its own: a Ctrl-C at the console does not reach it"},
		{Name: "priority", Active: true, Detail: "below normal"},
		ownJob(),
		privileges(token),
		integrity,
		{Name: "network", Detail: "the system does not refuse sockets to the worker: this needs an app container"},
	}, nil
}

// lowerIntegrity gives this process the low integrity level, and checks that it has it.
func lowerIntegrity(token windows.Token) (toolscript.Confinement, error) {
	part := toolscript.Confinement{Name: "integrity"}
	low, err := windows.StringToSid(lowIntegrity)
	if err != nil {
		return part, fmt.Errorf("StringToSid: %w", err)
	}
	label := windows.Tokenmandatorylabel{Label: windows.SIDAndAttributes{Sid: low, Attributes: windows.SE_GROUP_INTEGRITY}}
	if err := windows.SetTokenInformation(token, windows.TokenIntegrityLevel, (*byte)(unsafe.Pointer(&label)), label.Size()); err != nil {
		return part, fmt.Errorf("SetTokenInformation: %w", err)
	}
	var now windows.Tokenmandatorylabel
	if err := information(token, windows.TokenIntegrityLevel, func(p unsafe.Pointer) { now = *(*windows.Tokenmandatorylabel)(p) }); err != nil {
		return part, err
	}
	part.Active = now.Label.Sid.Equals(low)
	part.Detail = "low: it can write to no files, keys and processes of the user"
	if !part.Active {
		part.Detail = fmt.Sprintf("the system left the level at %s", now.Label.Sid)
	}
	return part, nil
}

// privileges reports whether this process was started with a restrictedToken. Such a token has one
// privilege left, which every user has: to pass through folders.
func privileges(token windows.Token) toolscript.Confinement {
	part := toolscript.Confinement{Name: "privileges", Detail: "none, and no rights of an administrator"}
	var count uint32
	err := information(token, windows.TokenPrivileges, func(p unsafe.Pointer) { count = (*windows.Tokenprivileges)(p).PrivilegeCount })
	if part.Active = err == nil && count <= 1; !part.Active {
		part.Detail = fmt.Sprintf("the token has %d privileges (%v)", count, err)
	}
	return part
}

// information calls use with information about a token. The pointer is valid until use returns.
func information(token windows.Token, class uint32, use func(unsafe.Pointer)) error {
	var size uint32
	if err := windows.GetTokenInformation(token, class, nil, 0, &size); !errors.Is(err, windows.ERROR_INSUFFICIENT_BUFFER) {
		return fmt.Errorf("GetTokenInformation: %w", err)
	}
	buffer := make([]byte, size)
	if err := windows.GetTokenInformation(token, class, &buffer[0], size, &size); err != nil {
		return fmt.Errorf("GetTokenInformation: %w", err)
	}
	use(unsafe.Pointer(&buffer[0]))
	return nil
}

// ownJob reports whether this process is in a job with the limits of a worker.
func ownJob() toolscript.Confinement {
	part := toolscript.Confinement{Name: "job"}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	err := windows.QueryInformationJobObject(0, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	if err != nil {
		part.Detail = err.Error()
		return part
	}
	const all = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS | windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY
	flags := info.BasicLimitInformation.LimitFlags
	part.Active = flags&all == all && info.BasicLimitInformation.ActiveProcessLimit == 1
	part.Detail = fmt.Sprintf("it ends with the gateway, starts no process, and commits at most %d MB", info.ProcessMemoryLimit>>20)
	if !part.Active {
		part.Detail = fmt.Sprintf("the job has the limits %#x, %d processes and %d MB", flags, info.BasicLimitInformation.ActiveProcessLimit, info.ProcessMemoryLimit>>20)
	}
	return part
}
