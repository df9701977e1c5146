package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/toolscript/toolscript/test/emulated"
)

// windows is a Windows of Wine: its drive C, its registry and its processes.
type windows struct {
	folder  string // its files, and the programs that it runs
	wine    string
	server  string // the program that ends its processes
	overlay string // the file for go test -overlay
	env     []string
}

// fault is the error of a program that Wine 8 did not start, or that could not load a library of Wine. Both are rare. A
// test whose program Wine did not start has printed no line, and Wine ends with 1.
var fault = regexp.MustCompile(`fork/exec \S+: Internal error\.|Failed to load \w+\.dll: DLL initialization failed|\A\s*--- FAIL: \S+ \(it did not run to its end: exit status 1\)\s*\z`)

// debian is the folder in which Debian has the programs of Wine.
const debian = "/usr/lib/wine"

func newWindows() (*windows, error) {
	folder, err := os.MkdirTemp("", "wine")
	if err != nil {
		return nil, err
	}
	w := &windows{folder: folder}
	w.env = append(os.Environ(), "HOME="+folder, "WINEPREFIX="+filepath.Join(folder, "prefix"), "WINEDEBUG=-all")
	if err := w.prepare(); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// prepare finds the programs, makes the files of Windows, and adds the library that Wine lacks.
func (w *windows) prepare() (err error) {
	if w.wine, err = program("wine64"); err != nil {
		return err
	}
	if w.server, err = program("wineserver64"); err != nil {
		return err
	}
	if w.overlay, err = overlay(w.folder); err != nil {
		return err
	}
	if err := w.run(context.Background(), "", filepath.Join(w.folder, "wineboot.txt"), "wineboot", "-i"); err != nil {
		return fmt.Errorf("wineboot: %w", err)
	}
	library := filepath.Join(w.folder, "prefix/drive_c/windows/system32/bcryptprimitives.dll")
	out, err := w.command("", "x86_64-w64-mingw32-gcc", "-shared", "-o", library, "test/wine/testdata/bcryptprimitives.c", "-ladvapi32").CombinedOutput()
	if err != nil {
		return fmt.Errorf("compile the library: %w\n%s", err, out)
	}
	return nil
}

// system returns the Windows as one that runs tests.
func (w *windows) system() emulated.System {
	return emulated.System{
		Env:     []string{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"},
		Flags:   []string{"-overlay", w.overlay},
		Suffix:  ".exe",
		Folder:  w.folder,
		Results: results,
		Args:    []string{"-test.parallel=2"},
		Run:     w.run,
		End:     w.end,
		Again:   fault,
	}
}

func program(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	path, err := exec.LookPath(filepath.Join(debian, name))
	if err != nil {
		return "", fmt.Errorf("%s is missing; as root on Debian: apt-get install wine64 gcc-mingw-w64-x86-64", name)
	}
	return path, nil
}

func (w *windows) command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...) //nolint:gosec // it runs until its end; the tests have a limit
	cmd.Dir, cmd.Env = dir, w.env
	return cmd
}

// run runs a program of Windows and writes what it prints to a file. A pipe would have no end: the services
// that Wine starts with the first program keep it open.
func (w *windows) run(ctx context.Context, dir, output, path string, args ...string) error {
	file, err := os.Create(output) //nolint:gosec // in the folder of the results
	if err != nil {
		return err
	}
	cmd := w.command(dir, w.wine, append([]string{path}, args...)...)
	stop := context.AfterFunc(ctx, w.end)
	defer stop()
	cmd.Stdout, cmd.Stderr = file, file
	return errors.Join(cmd.Run(), file.Close())
}

// close ends the processes and removes the files.
func (w *windows) close() error {
	if w.server != "" {
		w.end()
	}
	return os.RemoveAll(w.folder)
}

// end ends the processes, and removes the files that they have not removed. The next program starts the services of
// Windows again.
func (w *windows) end() {
	_ = w.command("", w.server, "-k").Run() // fails if no process is left
	_ = w.command("", w.server, "-w").Run() // the same
	temporary, _ := filepath.Glob(filepath.Join(w.folder, "prefix/drive_c/users/*/Temp/*"))
	for _, path := range temporary {
		_ = os.RemoveAll(path) // close reports what cannot be removed
	}
}
