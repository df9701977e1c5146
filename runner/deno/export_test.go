package deno

// Capability returns the secret in the gateway URL of a process.
func Capability(p *Process) string { return p.capability }

// PinnedPackage is the package that Install downloads for a platform.
type PinnedPackage struct{ Name, Version, Integrity string }

// Pinned returns the packages of all platforms.
func Pinned() map[string]PinnedPackage {
	all := map[string]PinnedPackage{}
	for platform, p := range packages {
		all[platform] = PinnedPackage{p.name, p.version, p.integrity}
	}
	return all
}
