package deno

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/internal/landlock"
)

// Wall is what stands between the process and the system.
func (p *Process) Wall() []toolscript.WallPart {
	second := toolscript.WallPart{Name: "landlock", Active: p.walled, Detail: "this kernel has no Landlock, or it is not enabled"}
	if p.walled {
		second.Detail = "Deno's own files, the folder of the run, one port"
	}
	return []toolscript.WallPart{
		{Name: "permissions", Active: true, Detail: "Deno's: one port, no files, no processes, one variable"},
		second,
	}
}

// access is what the second wall leaves to a process: what Deno needs to start,
// its own folder, and the door. /proc/self would not be the process's own: a rule
// is for the folder that the path led to when it was made, and it is made by the
// gateway, whose environment is there.
func (p *Process) access() landlock.Access {
	return landlock.Access{
		Read: []string{
			"/lib", "/lib64", "/usr/lib", "/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf",
			"/etc/localtime", "/usr/share/zoneinfo", "/dev/urandom", "/sys/fs/cgroup",
			p.engine.options.Executable, p.engine.loader,
		},
		Write:   []string{p.folder, "/dev/null"},
		Connect: []uint16{p.engine.door.port()},
	}
}
