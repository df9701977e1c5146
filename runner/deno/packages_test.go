package deno

import (
	"crypto/sha512"
	"encoding/base64"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// everywhere maps each platform for which the program is built to the name of its npm package.
var everywhere = map[string]string{
	"linux/amd64":   "@deno/linux-x64-glibc",
	"linux/arm64":   "@deno/linux-arm64-glibc",
	"darwin/amd64":  "@deno/darwin-x64",
	"darwin/arm64":  "@deno/darwin-arm64",
	"windows/amd64": "@deno/win32-x64",
	"windows/arm64": "@deno/win32-arm64",
}

// TestPackages checks that every platform has a Deno with its own integrity, in a
// version for which Find gives no warning.
func TestPackages(t *testing.T) {
	if len(packages) != len(everywhere) {
		t.Errorf("there are packages for %v, want %d platforms", platforms(), len(everywhere))
	}
	var contents []string
	for platform, name := range everywhere {
		p, err := packageFor(platform, func(string) bool { return true })
		if err != nil || p.name != name {
			t.Errorf("packageFor(%s) = %+v, %v, want %s", platform, p, err, name)
			continue
		}
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.integrity, "sha512-"))
		if err != nil || len(sum) != sha512.Size || slices.Contains(contents, p.integrity) {
			t.Errorf("%s: %s is no hash, or that of another platform", platform, p.integrity)
		}
		contents = append(contents, p.integrity)
		if major, minor, version, err := parseVersion("deno " + p.version + " (stable)"); err != nil || version != p.version || outdated(major, minor) {
			t.Errorf("%s: %q is no version to install", platform, p.version)
		}
	}
	if p := packages[runtime.GOOS+"/"+runtime.GOARCH]; p.version != Version {
		t.Errorf("Version = %s, want that of this platform, %s", Version, p.version)
	}
}

// TestNoPackage checks the error on a platform without a Deno package in npm.
func TestNoPackage(t *testing.T) {
	for _, c := range []struct {
		name, platform, loader string
		want                   string
	}{
		{"another platform", "plan9/386", "", "npm has no Deno for plan9/386, only for darwin/amd64, darwin/arm64, linux/amd64, linux/arm64, windows/amd64, windows/arm64; "},
		{"musl", "linux/amd64", "/lib/ld-musl-x86_64.so.1", "needs glibc, which this system does not have: there is no /lib64/ld-linux-x86-64.so.2, as on Alpine, whose C library is musl; "},
		{"musl on ARM", "linux/arm64", "/lib/ld-musl-aarch64.so.1", "there is no /lib/ld-linux-aarch64.so.1, "},
	} {
		_, err := packageFor(c.platform, func(path string) bool { return path == c.loader })
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "toolscript exec --engine quickjs") {
			t.Errorf("%s: packageFor = %v, want %q and what to do instead", c.name, err, c.want)
		}
	}
	if _, err := packageFor("darwin/arm64", func(string) bool { return false }); err != nil {
		t.Errorf("macOS needs no loader of Linux: %v", err)
	}
}
