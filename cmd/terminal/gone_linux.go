package terminal

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Gone reports whether a stream is a terminal that was closed. The kernel then answers
// every ioctl with EIO.
func Gone(stream io.Writer) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return errors.Is(err, unix.EIO)
}
