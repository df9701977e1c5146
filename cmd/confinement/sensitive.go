package confinement

import (
	"path/filepath"
	"slices"
	"strings"
)

// inHome are places of secrets below the home folder.
var inHome = []string{
	".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".oci", ".password-store", ".vault-token", ".netrc", ".pgpass", ".my.cnf",
	".npmrc", ".yarnrc.yml", ".pypirc", ".git-credentials", ".gem/credentials", ".cargo/credentials", ".cargo/credentials.toml", ".terraform.d", ".terraformrc",
	".config/gcloud", ".config/gh", ".config/glab-cli", ".config/git/credentials", ".config/op", ".config/rclone", ".config/sops", ".config/doctl", ".config/hub", ".config/containers",
	".local/share/keyrings", ".local/share/kwalletd", ".local/share/containers",
	".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi", ".config/opera",
	".cache/mozilla", ".cache/google-chrome", ".cache/chromium", "snap/firefox", "snap/chromium", ".var/app",
	".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".claude", ".claude.json", ".codex", ".cursor", ".gemini",
	"Library/Keychains", "Library/Cookies", "Library/Safari", "Library/Application Support/Google", "Library/Application Support/Firefox", "Library/Application Support/BraveSoftware",
}

// inSystem are places of secrets, and sockets that lead to other programs with more rights.
var inSystem = []string{
	"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssl/private", "/etc/kubernetes", "/var/lib/docker", "/var/lib/kubelet",
	"/run/docker.sock", "/var/run/docker.sock", "/run/podman", "/run/containerd", "/run/secrets", "/var/run/secrets", "/run/user", "/run/dbus", "/proc/kcore", "/dev/mem", "/dev/kmsg",
}

// places are all places of secrets of this scene.
func (s Scene) places() []string {
	all := slices.Clone(inSystem)
	if s.Data != "" {
		all = append(all, s.Data)
	}
	if s.Home != "" {
		for _, name := range inHome {
			all = append(all, filepath.Join(s.Home, name))
		}
	}
	return all
}

// sensitive reports whether a path has secrets of the user.
func (w *work) sensitive(path string) bool {
	if name := filepath.Base(path); name == ".env" || strings.HasPrefix(name, ".env.") {
		return !slices.Contains([]string{".example", ".sample", ".template", ".dist"}, filepath.Ext(name))
	}
	return covers(w.places, path)
}

// systemFolders are too much for one server.
var systemFolders = []string{
	"/", "/etc", "/home", "/Users", "/root", "/tmp", "/var", "/usr", "/usr/local", "/opt", "/srv", "/mnt", "/media", "/boot", "/Volumes", "/Library", "/private", "/nix", "/snap",
	"/var/lib", "/var/log", "/var/run", "/var/tmp", "/var/cache", "/var/opt", "/var/spool",
}

// kernelFolders have files of which each is something of its own.
var kernelFolders = []string{"/dev", "/proc", "/sys", "/run", "/var/run"}

// shared are folders below the home folder that have something of many programs.
var shared = []string{".cache", ".config", ".local", ".local/share", ".local/state", ".local/bin", "Library", "Library/Caches", "Library/Application Support", "Documents", "Desktop", "Downloads", "snap"}

// tooMuch reports whether a folder has more than one server should get.
func (w *work) tooMuch(folder string) bool {
	if folder == "" || covers(kernelFolders, folder) || w.above(folder) {
		return true
	}
	rel, err := filepath.Rel(w.Home, folder)
	return w.Home != "" && err == nil && slices.Contains(shared, rel)
}

// above reports whether a path is a folder of the system, the home folder or above it, or has
// secrets in it.
func (w *work) above(path string) bool {
	return slices.Contains(systemFolders, path) || w.Home != "" && within(path, w.Home) || w.hasSecrets(path)
}

// hasSecrets reports whether places of secrets, or secrets that were used, are in a folder.
func (w *work) hasSecrets(folder string) bool {
	isIn := func(place string) bool { return within(folder, place) }
	return slices.ContainsFunc(w.places, isIn) || slices.ContainsFunc(w.secret, isIn)
}

// envFiles reports files with secrets of projects that the profile lets the server read.
func (w *work) envFiles() {
	for _, e := range slices.Concat(w.out.Profile.Read, w.out.Profile.Write) {
		env := filepath.Join(e.Path, ".env")
		if is, _ := w.Exists(env); is {
			w.problem(Problem{What: "may read " + w.shown(env), Why: "it is in " + e.Text + ", which the server may read", Sensitive: true})
		}
	}
}
