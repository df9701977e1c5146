//go:build !unix

package wall

import "errors"

func replace(string, []string) error {
	return errors.New("this system has no call by which a process becomes another program")
}
