package confined

// systemPaths lists what programs read to start: libraries, and settings of the system
// without secrets.
var systemPaths = []string{
	"/usr", "/bin", "/sbin", "/System", "/Library/Apple", "/Library/Frameworks", "/Library/Developer", "/Library/Java",
	"/opt/homebrew", "/opt/local", "/nix/store",
	"/private/etc/ssl", "/private/etc/hosts", "/private/etc/resolv.conf", "/private/etc/services", "/private/etc/protocols",
	"/private/etc/passwd", "/private/etc/group", "/private/etc/localtime", "/private/etc/paths", "/private/etc/paths.d",
	"/private/var/db/dyld", "/private/var/db/timezone", "/private/var/select",
	"/dev/urandom", "/dev/random",
}
