package confine

import (
	"path/filepath"
	"slices"
	"strings"
)

// The places in this file are never suggested for writing, because other programs run the files there or take
// instructions from them. A server that writes to one of them has code run outside of its confinement, or changes
// the confinement itself.

// obeyedInHome are such places below the home folder.
var obeyedInHome = []string{
	".toolscript.json",
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".inputrc",
	".xprofile", ".xsession", ".xsessionrc", ".xinitrc", ".pam_environment", ".config/autostart", ".config/systemd", ".config/fish", ".config/environment.d", ".config/plasma-workspace",
	".local/share/applications", ".local/share/systemd", ".local/share/dbus-1", "Library/LaunchAgents",
	".local/bin", "bin", "go/bin", ".cargo/bin", ".bun/bin", ".deno/bin",
	".gitconfig", ".config/git", ".ssh", ".npmrc", ".vimrc", ".vim", ".config/nvim", ".emacs", ".emacs.d", ".tmux.conf", ".config/Code",
}

// obeyedInSystem are such places of the system. Only a gateway of root could write to them.
var obeyedInSystem = []string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/var/spool/cron", "/Library"}

// obeyedAnywhere are names of such places in any folder, for example of a project.
var obeyedAnywhere = []string{".toolscript.json", ".toolscript", ".envrc", ".vscode", ".cursor", ".claude", ".mcp.json"}

// obeyedOfGit are names of such places in a .git folder.
var obeyedOfGit = []string{"hooks", "config"}

const obeyedWhy = "other programs run or obey what is there"

// obeys reports whether a path is, or is below, a place that other programs obey.
func (w *work) obeys(path string) bool {
	if w.obeyed.cover(path) {
		return true
	}
	names := strings.Split(filepath.ToSlash(path), "/")
	for i, name := range names {
		if slices.Contains(obeyedAnywhere, name) {
			return true
		}
		if name != ".git" || i+1 == len(names) {
			continue
		}
		below := names[i+1:]
		if below[0] != "modules" { // modules has a git folder for each submodule
			below = below[:1]
		}
		if slices.ContainsFunc(below, func(name string) bool { return slices.Contains(obeyedOfGit, name) }) {
			return true
		}
	}
	return false
}

// obeyedFiles reports places that other programs obey in folders that the server may write.
// They do not prevent an entry for the folder of a project: the profile "project" is such
// an entry.
func (w *work) obeyedFiles() {
	for _, e := range w.out.Profile.Write {
		var found []string
		in := func(folder string, names []string) {
			for _, name := range names {
				path := filepath.Join(folder, name)
				if is, _ := w.Exists(path); is {
					found = append(found, w.shown(path))
				}
			}
		}
		in(e.Path, obeyedAnywhere)
		in(filepath.Join(e.Path, ".git"), obeyedOfGit)
		if filepath.Base(e.Path) == ".git" {
			in(e.Path, obeyedOfGit)
		}
		for _, path := range found {
			w.problem(Problem{What: "may write " + path, Why: obeyedWhy + ", and it is in " + e.Text + ", which the server may write", Sensitive: true})
		}
	}
}
