//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// system is a folder with a kernel for arm64, which needs no modules, and programs that need no libraries.
type system struct{ folder string }

// installers has the package of a release of Debian with the kernel, which has 130 MB, and the folder of that kernel.
var installers = map[string]string{"bookworm": "12", "trixie": "13"}

func (s system) kernel() string  { return filepath.Join(s.folder, "linux") }
func (s system) busybox() string { return filepath.Join(s.folder, "busybox") }
func (s system) bash() string    { return filepath.Join(s.folder, "bash") }

// download gets the system from Debian with apt-get, which works in folders of its own and installs nothing. The
// system stays for the next run.
func download(release string) (s system, err error) {
	number, known := installers[release]
	if !known {
		return s, fmt.Errorf("the release %q of Debian is unknown", release)
	}
	if s.folder, err = filepath.Abs(".task/arm64-" + release); err != nil {
		return s, err
	}
	if _, err := os.Stat(s.bash()); err == nil {
		return s, nil
	}
	work, err := os.MkdirTemp("", "arm64-debian")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if err := fetch(work, release, "busybox-static", "bash-static", "debian-installer-"+number+"-netboot-arm64"); err != nil {
		return s, err
	}
	if err := os.MkdirAll(s.folder, 0o750); err != nil {
		return s, err
	}
	for _, f := range []struct{ from, to string }{
		{"usr/lib/debian-installer/images/" + number + "/arm64/text/debian-installer/arm64/linux", s.kernel()},
		{first(work, "bin/busybox", "usr/bin/busybox"), s.busybox()},
		{first(work, "bin/bash-static", "usr/bin/bash-static"), s.bash()},
	} {
		content, err := os.ReadFile(filepath.Join(work, f.from))
		if err != nil {
			return s, err
		}
		if err := os.WriteFile(f.to, content, 0o755); err != nil { //nolint:gosec // a program
			return s, err
		}
	}
	return s, nil
}

// first returns the first of the paths in a folder that exists, or the last of them.
func first(folder string, paths ...string) string {
	for _, path := range paths[:len(paths)-1] {
		if _, err := os.Stat(filepath.Join(folder, path)); err == nil {
			return path
		}
	}
	return paths[len(paths)-1]
}

// fetch unpacks packages for arm64 into a folder. It takes the sources of this machine.
func fetch(work, release string, packages ...string) error {
	own, err := exec.Command("sh", "-c", ". /etc/os-release && echo $VERSION_CODENAME").Output()
	if err != nil {
		return err
	}
	parts := filepath.Join(work, "parts")
	for _, folder := range []string{parts, filepath.Join(work, "lists/partial"), filepath.Join(work, "cache/archives/partial")} {
		if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // the user of apt reads it
			return err
		}
	}
	for _, name := range []string{"/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources"} {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // a machine has one of them
		}
		other := strings.ReplaceAll(string(text), strings.TrimSpace(string(own)), release)
		if err := os.WriteFile(filepath.Join(parts, strings.Replace(filepath.Base(name), "sources.list", "sources.list.list", 1)), []byte(other), 0o644); err != nil { //nolint:gosec // the user of apt reads it
			return err
		}
	}
	options := []string{
		"-q", "-o", "Dir::Etc::sourcelist=/dev/null", "-o", "Dir::Etc::sourceparts=" + parts, "-o", "Dir::State::Lists=" + work + "/lists",
		"-o", "Dir::Cache=" + work + "/cache", "-o", "APT::Architecture=arm64", "-o", "APT::Architectures=arm64", "-o", "Acquire::Languages=none",
		"-o", "APT::Sandbox::User=root",
	}
	for _, command := range [][]string{append(options, "update"), append(append(options, "download"), packages...)} {
		get := exec.Command("apt-get", command...) //nolint:gosec // packages of this program
		get.Dir = work
		if out, err := get.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get: %w\n%s", err, out)
		}
	}
	unpack := exec.Command("sh", "-c", "for file in *.deb; do dpkg-deb -x $file . && rm $file || exit; done")
	unpack.Dir = work
	if out, err := unpack.CombinedOutput(); err != nil {
		return fmt.Errorf("dpkg-deb: %w\n%s", err, out)
	}
	return nil
}
