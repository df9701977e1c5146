package confined

import (
	"errors"
	"io/fs"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/confine"
)

func (s Spec) become() error { return errors.New("there is no helper on macOS") }

// Wrap returns the arguments that start the server inside a profile of the macOS sandbox, or
// unconfined if this system has no sandbox.
func (s Spec) Wrap(string) ([]string, error) {
	if confine.SeatbeltMissing() != "" {
		return append([]string{s.Path}, s.Args[1:]...), nil
	}
	read, err := s.real(s.Read)
	if err != nil {
		return nil, err
	}
	write, err := s.real(s.Write)
	if err != nil {
		return nil, err
	}
	access := confine.SeatbeltAccess{Read: append([]string{s.Path}, read...), Write: write, Port: s.Port}
	return access.Wrap(s.Path, s.Args[1:]), nil
}

// real resolves the links of paths, beneath the folder of the project. A profile does not
// follow links, so a link that replaces a path later gives no access.
func (s Spec) real(paths []string) (all []string, err error) {
	for _, path := range paths {
		held, err := s.Project.Hold(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			all = append(all, path) // it may be created later
			continue
		case err != nil:
			return nil, err
		}
		all = append(all, held.Real())
		held.Close()
	}
	return all, nil
}

// Parts reports which restrictions are active on this machine for a server that reaches the hosts of net.
func Parts(net []string) []toolscript.Confinement {
	files, network := toolscript.Confinement{Name: filesName}, toolscript.Confinement{Name: networkName, Detail: reached(net)}
	if files.Detail = confine.SeatbeltMissing(); files.Detail != "" {
		network.Detail = files.Detail
		return []toolscript.Confinement{files, network}
	}
	files.Active, files.Detail, network.Active = true, "a profile of the macOS sandbox", true
	return []toolscript.Confinement{files, network}
}
