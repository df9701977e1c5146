package runs

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rawio"
)

// maxSpooled bounds the file of one run.
const maxSpooled = 256 << 20

// spooled is the form of an event in the file.
var spooled = rawio.Frames{Order: binary.BigEndian, Most: maxSpooled}

var errSpoolFull = errors.New("the output that waits for the client exceeds its limit")

// spool is a queue of events in a file without a name, which disappears with the process.
// The zero spool has no file yet.
type spool struct {
	dir  string // folder of the file; "": the temporary folder of the system
	file *os.File
	read int64 // the position of the first event
	end  int64
}

func (s *spool) empty() bool { return s.read == s.end }

// put adds an event. After an error the queue is unchanged.
func (s *spool) put(e toolscript.Event) error {
	if s.file == nil {
		if err := s.open(); err != nil {
			return err
		}
	}
	text, err := toolscript.PlainJSON(e)
	if err != nil {
		return err
	}
	if s.end+int64(len(text)) > maxSpooled {
		return errSpoolFull
	}
	record := append(spooled.AppendHead(nil, 0, len(text)), text...)
	if _, err := s.file.WriteAt(record, s.end); err != nil {
		return err
	}
	s.end += int64(len(record))
	return nil
}

func (s *spool) open() error {
	if s.dir != "" && os.MkdirAll(s.dir, 0o700) != nil {
		s.dir = ""
	}
	file, err := os.CreateTemp(s.dir, "events-")
	if err != nil {
		return err
	}
	s.file = file
	_ = os.Remove(file.Name()) //nolint:gosec // G703: created here; on systems that cannot remove an open file, close does
	return nil
}

// take removes the first event. If the file cannot be read, its events are lost, and the
// returned event says so.
func (s *spool) take() toolscript.Event {
	var event toolscript.Event
	from := io.NewSectionReader(s.file, s.read, s.end-s.read)
	_, text, err := spooled.Read(from)
	if err == nil {
		err = json.Unmarshal(text, &event)
	}
	read, _ := from.Seek(0, io.SeekCurrent) // does not fail
	s.read += read
	if err != nil {
		event = toolscript.Event{Type: toolscript.EventStderr, Data: fmt.Sprintf("\n[output lost: %v]\n", err)}
		s.read = s.end
	}
	if s.empty() {
		s.read, s.end = 0, 0
		_ = s.file.Truncate(0) // the next events overwrite the file
	}
	return event
}

// close deletes the file.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name()) //nolint:gosec // G703: created here; usually removed already
	}
}
