package confined

import (
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/internal/seatbelt"
)

func (s Spec) become() error { return errors.New("there is no helper on macOS") }

// Wrap returns the arguments that start the server inside a profile of the macOS sandbox; as
// it is, if there is none.
func (s Spec) Wrap(string) ([]string, error) {
	if seatbelt.Missing() != "" {
		return append([]string{s.Path}, s.Args[1:]...), nil
	}
	access := seatbelt.Access{Read: append([]string{s.Path}, s.Read...), Write: s.Write, Port: s.Port}
	return access.Wrap(s.Path, s.Args[1:]), nil
}

// Parts says what holds on this machine for a server that reaches the hosts of net.
func Parts(net []string) []toolscript.Confinement {
	files, network := toolscript.Confinement{Name: filesName}, toolscript.Confinement{Name: networkName, Detail: reached(net)}
	if files.Detail = seatbelt.Missing(); files.Detail != "" {
		network.Detail = files.Detail
		return []toolscript.Confinement{files, network}
	}
	files.Active, files.Detail, network.Active = true, "a profile of the macOS sandbox", true
	return []toolscript.Confinement{files, network}
}
