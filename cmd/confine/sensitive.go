package confine

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

// inSystem are places of secrets, and sockets of other programs that have more rights.
var inSystem = []string{
	"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssl/private", "/etc/kubernetes", "/var/lib/docker", "/var/lib/kubelet",
	"/run/docker.sock", "/var/run/docker.sock", "/run/podman", "/run/containerd", "/run/secrets", "/var/run/secrets", "/run/user", "/run/dbus", "/proc/kcore", "/dev/mem", "/dev/kmsg",
}

// mark collects the places of this scene, as written and with links resolved.
func (w *work) mark() {
	w.secrets.add(w.both("", inSystem...)...)
	w.obeyed.add(w.both("", obeyedInSystem...)...)
	w.system.add(w.both("", systemFolders...)...)
	w.kernel.add(w.both("", kernelFolders...)...)
	if w.Data != "" {
		w.secrets.add(w.both("", w.Data)...)
	}
	if w.Home != "" {
		w.secrets.add(w.both(w.Home, inHome...)...)
		w.obeyed.add(w.both(w.Home, obeyedInHome...)...)
		w.system.add(w.both(w.Home, shared...)...)
		w.programs = w.both(w.Home, programFolders...)
	}
}

// both returns the paths of names in a folder, as written and with links resolved.
func (w *work) both(folder string, names ...string) (all []string) {
	for _, name := range names {
		path := filepath.Join(folder, filepath.FromSlash(name))
		all = append(all, path)
		if real := w.Resolve(path); real != path {
			all = append(all, real)
		}
	}
	return all
}

// sensitive reports whether a path may contain secrets of the user.
func (w *work) sensitive(path string) bool {
	if name := filepath.Base(path); name == ".env" || strings.HasPrefix(name, ".env.") {
		return !slices.Contains([]string{".example", ".sample", ".template", ".dist"}, filepath.Ext(name))
	}
	return w.secrets.cover(path)
}

// systemFolders are folders that are too large for one server.
var systemFolders = []string{
	"/", "/etc", "/home", "/Users", "/root", "/tmp", "/var", "/usr", "/usr/local", "/opt", "/srv", "/mnt", "/media", "/boot", "/Volumes", "/Library", "/private", "/nix", "/snap",
	"/var/lib", "/var/log", "/var/run", "/var/tmp", "/var/cache", "/var/opt", "/var/spool",
}

// kernelFolders are folders of special files, each of which has its own meaning.
var kernelFolders = []string{"/dev", "/proc", "/sys", "/run", "/var/run"}

// shared are folders below the home folder that many programs use.
var shared = []string{".cache", ".config", ".local", ".local/share", ".local/state", ".local/bin", "Library", "Library/Caches", "Library/Application Support", "Documents", "Desktop", "Downloads", "snap"}

// programFolders are folders below the home folder that have a subfolder for each program.
var programFolders = []string{".cache", ".config", ".local/share", ".local/state", "Library/Caches", "Library/Application Support"}

// tooMuch reports whether a folder contains more than one server should get.
func (w *work) tooMuch(folder string, write bool) bool {
	return folder == "" || w.kernel.cover(folder) || w.above(folder, write)
}

// above reports whether a path is a system folder, is used by many programs, contains the
// home folder, or has secrets in it. For writing, it also reports whether the path contains
// a place that other programs obey.
func (w *work) above(path string, write bool) bool {
	return w.system.in[path] || w.Home != "" && within(path, w.Home) || w.secrets.under(path) || write && (w.obeyed.under(path) || w.obeys(path))
}

// envFiles reports files with a project's secrets that the profile lets the server read.
func (w *work) envFiles() {
	for _, e := range slices.Concat(w.out.Profile.Read, w.out.Profile.Write) {
		env := filepath.Join(e.Path, ".env")
		if is, _ := w.Exists(env); is {
			w.problem(Problem{What: "may read " + w.shown(env), Why: "it is in " + e.Text + ", which the server may read", Sensitive: true})
		}
	}
}
