package deno

// Capability is the secret of a process.
func Capability(p *Process) string { return p.capability }

// PinnedPackage is what Install brings to a platform.
type PinnedPackage struct{ Name, Version, Integrity string }

// Pinned are the packages of all platforms.
func Pinned() map[string]PinnedPackage {
	all := map[string]PinnedPackage{}
	for platform, p := range packages {
		all[platform] = PinnedPackage{p.name, p.version, p.integrity}
	}
	return all
}
