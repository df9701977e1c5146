package confined

// systemPaths lists what programs read to start: libraries, and settings of the system
// without secrets.
var systemPaths = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/alternatives",
	"/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/crypto-policies",
	"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols",
	"/etc/passwd", "/etc/group", "/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/os-release", "/etc/mime.types",
	"/run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/resolv.conf",
	"/dev/urandom", "/dev/random",
	"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/version_signature", "/proc/loadavg", "/proc/uptime",
	"/proc/filesystems", "/proc/sys/kernel", "/proc/sys/vm", "/proc/sys/fs",
	"/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm",
}
