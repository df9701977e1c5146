package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// ReadFile is the tool readFile.
var ReadFile = tool.Tool{
	Name:  "readFile",
	Title: "Read a file",
	Description: "Read the lines of a text file. The mode slice reads a range of lines; the mode indentation reads the block around " +
		"one line: the line, the lines indented below it, and the lines that it belongs to, up to maxLevels of indentation.",
	Input: `{"type": "object", "required": ["filePath"], "additionalProperties": false, "properties": {
		"filePath": {"type": "string", "description": "the file, relative to workdir"},
		"offset": {"type": "integer", "minimum": 1, "default": 1, "description": "number of the first line, from 1"},
		"limit": {"type": "integer", "minimum": 1, "default": 2000, "description": "how many lines to read"},
		"mode": {"enum": ["slice", "indentation"], "default": "slice"},
		"anchorLine": {"type": "integer", "minimum": 1, "description": "the line whose block the mode indentation reads; default: offset"},
		"maxLevels": {"type": "integer", "minimum": 0, "default": 0, "description": "levels of indentation above the anchor line to include; 0: all"},
		"workdir": {"type": "string", "description": "a folder below the root of the server; default: the root"}}}`,
	Output:      tool.ContentSchema("the lines, each with its number: L123: text"),
	Annotations: tool.Reads(),
	Run:         tool.Func(readFile),
}

type readFileArgs struct {
	FilePath   string `json:"filePath"`
	Offset     int    `json:"offset"`
	Limit      int    `json:"limit"`
	Mode       string `json:"mode"`
	AnchorLine int    `json:"anchorLine"`
	MaxLevels  int    `json:"maxLevels"`
	Workdir    string `json:"workdir"`
}

const (
	defaultLines = 2000
	maxShownFile = 64 << 20 // maximum size in bytes of a file that is read as a whole
	maxContent   = 16 << 20 // maximum size in bytes of one result
)

func readFile(ctx context.Context, w *tool.Workspace, args readFileArgs) (tool.Content, error) {
	path, err := w.Path(args.FilePath, args.Workdir)
	if err != nil {
		return tool.Content{}, err
	}
	f, info, err := w.Open(path)
	if err != nil {
		return tool.Content{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text := bufio.NewReaderSize(f, 64<<10)
	switch start, _ := text.Peek(len(mark)); {
	case texts.IsUTF16(start):
		return tool.Content{}, fmt.Errorf("%s is %w", tool.Quote(path), texts.CheckUTF8(start))
	case string(start) == mark:
		_, _ = text.Discard(len(mark)) // the buffer has the whole mark
	}
	if args.Offset == 0 {
		args.Offset = 1
	}
	if args.Limit == 0 {
		args.Limit = defaultLines
	}
	var out []byte
	if args.Mode == "indentation" {
		if info.Size() > maxShownFile {
			return tool.Content{}, fmt.Errorf("%s has %d bytes; the mode indentation reads files of up to %d bytes", tool.Quote(path), info.Size(), maxShownFile)
		}
		out, err = readBlock(ctx, text, args)
	} else {
		out, err = readSlice(ctx, text, args.Offset, args.Limit)
	}
	if err != nil {
		return tool.Content{}, fmt.Errorf("%s: %w", tool.Quote(path), err)
	}
	return tool.Content{Content: string(out), Success: true}, nil
}

// readSlice reads limit lines, beginning with line offset.
func readSlice(ctx context.Context, f io.Reader, offset, limit int) ([]byte, error) {
	lines := bufio.NewReaderSize(f, 64<<10)
	var out []byte
	number := 1
	for more := true; more && number-offset < limit; number++ {
		if number%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line, err := nextLine(ctx, lines, number >= offset)
		if more = err == nil; err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if !more && line == nil {
			break
		}
		if number >= offset {
			if out = appendLine(out, number, line); len(out) > maxContent {
				return nil, errTooMuch
			}
		}
	}
	if number <= offset && offset > 1 {
		return nil, fmt.Errorf("the offset is %d, and the file has %d lines", offset, number-1)
	}
	return out, nil
}

var errTooMuch = fmt.Errorf("the lines have more than %d bytes together; read fewer of them with offset and limit", maxContent)

// nextLine reads one line with its line end. It returns nil at the end of the file. Without
// keep, it skips the line and returns an empty line.
func nextLine(ctx context.Context, from *bufio.Reader, keep bool) (line []byte, err error) {
	for {
		part, err := from.ReadSlice('\n')
		switch {
		case keep && (len(line) > 0 || errors.Is(err, bufio.ErrBufferFull)):
			line = append(line, part...)
		case keep && len(part) > 0:
			line = part
		case len(part) > 0:
			line = []byte{}
		}
		if len(line) > maxContent {
			return nil, errTooMuch
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if ctx.Err() != nil { // a line of a special file can be endless
			return nil, ctx.Err()
		}
	}
}

// appendLine appends a line with its number, after a line break unless it is the first.
func appendLine(out []byte, number int, line []byte) []byte {
	if len(out) > 0 {
		out = append(out, '\n')
	}
	out = append(out, 'L')
	out = strconv.AppendInt(out, int64(number), 10)
	out = append(out, ": "...)
	return append(out, trimEnd(line)...)
}

// trimEnd removes the line break at the end of a line.
func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}
