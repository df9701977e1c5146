package deno

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/confine"
)

// Confinement returns the restrictions of the process, and whether they are active.
func (p *Process) Confinement() []toolscript.Confinement {
	second := toolscript.Confinement{Name: "landlock", Active: p.confined.Files, Detail: "this kernel has no Landlock, or it is not enabled"}
	if p.confined.Files {
		second.Detail = "Deno's own files, the folder of the run, one port"
	}
	third := toolscript.Confinement{Name: "system calls", Active: p.confined.Calls, Detail: "there is no filter of system calls here"}
	if p.confined.Calls {
		third.Detail = "the filter of confined servers: no sockets but those of TCP, no other processes"
	}
	return []toolscript.Confinement{
		{Name: "permissions", Active: true, Detail: "Deno's: one port, no files, no processes, one variable"},
		second, third,
	}
}

// access returns what a process may access: what Deno needs to start, its own folder, and the
// loopback server. It omits /proc/self: the gateway opens the path of a rule, so the rule
// would allow the gateway's folder in /proc, which contains its environment.
func (p *Process) access() confine.LandlockAccess {
	return confine.LandlockAccess{
		Read: []string{
			"/lib", "/lib64", "/usr/lib", "/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf",
			"/etc/localtime", "/usr/share/zoneinfo", "/dev/urandom", "/sys/fs/cgroup",
			p.engine.options.Executable, p.engine.loader,
		},
		Write:   []string{p.folder, "/dev/null"},
		Connect: []uint16{p.engine.loopback.port()},
	}
}
