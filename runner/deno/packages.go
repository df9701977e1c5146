package deno

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// npmPackage is the npm package of Deno for one platform, with the hash of its content.
type npmPackage struct{ name, version, integrity string }

// packages maps GOOS/GOARCH to npm packages. On Linux, they need glibc. Each version is the
// newest that npm had when it was pinned. The tests only run the package of linux/amd64.
var packages = map[string]npmPackage{
	"linux/amd64":   {"@deno/linux-x64-glibc", "2.9.6", "sha512-3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ=="},
	"linux/arm64":   {"@deno/linux-arm64-glibc", "2.9.5", "sha512-IuYjsz9PGl7CJcNXMuN27KNDB8Q40brK3SG3l+TXMDVW61ZKwcn0fQHBHnXFiiygEwI8by/fKnASEluhZB1atw=="},
	"darwin/amd64":  {"@deno/darwin-x64", "2.9.5", "sha512-gbdlxWZuAZFiJiZtTT00Mv/aC7f/31+pyqJGQKlZr5X33WeTo5B0GG+efcX3P1UZceRKHuPEAQ1B/M2oRt8r9Q=="},
	"darwin/arm64":  {"@deno/darwin-arm64", "2.9.5", "sha512-SX98qSdBT1lw9x6NwGwx2xIayl1kRimdRnFohYlJ6nt3mLKzTKHHKQwQs5D2pEY7mbUGGbYe9brM2kfN75pPkg=="},
	"windows/amd64": {"@deno/win32-x64", "2.9.5", "sha512-LkcERsH0olOgevg9L9eootSr1U8ydyfnX1bS3mFqU+lGBeTYtlec5b/QF473WUOGVgPlWECrkxi4As5kEaFOzg=="},
	"windows/arm64": {"@deno/win32-arm64", "2.9.5", "sha512-tTPrE/4SX7uaC8nJW47iNnibtjzk1y4zoiYjBBHE34vdkbb6LHopqH68BxyT61HZdfqXzOTEYjDVHhtmVZFy+w=="},
}

// Version is the version of Deno that Install installs on this platform, or "" if there is none.
var Version = packages[platform()].version

func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// loaders maps platforms to the dynamic loaders of programs that need glibc.
var loaders = map[string]string{
	"linux/amd64": "/lib64/ld-linux-x86-64.so.2",
	"linux/arm64": "/lib/ld-linux-aarch64.so.1",
}

// packageFor returns the package of a platform. exists reports whether a file exists.
func packageFor(platform string, exists func(path string) bool) (npmPackage, error) {
	wanted, known := packages[platform]
	if !known {
		return npmPackage{}, fmt.Errorf("npm has no Deno for %s, only for %s; %s", platform, strings.Join(platforms(), ", "), otherwise)
	}
	if loader := loaders[platform]; loader != "" && !exists(loader) {
		return npmPackage{}, errors.New("the Deno that npm has for Linux needs glibc, which this system does not have: there is no " + loader +
			", as on Alpine, whose C library is musl; " + otherwise)
	}
	return wanted, nil
}

// otherwise is the text that names the alternatives to an installation.
const otherwise = "put a Deno of your own into PATH or name it in " + Variable +
	"; scripts run without Deno too: toolscript exec --engine quickjs"

func platforms() (all []string) {
	for platform := range packages {
		all = append(all, platform)
	}
	slices.Sort(all)
	return all
}

func onDisk(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
