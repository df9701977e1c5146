package exec

import (
	"context"
	"errors"
	"io"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// stdinPiece is the maximum size of a piece of standard input. Each piece is a request.
const stdinPiece = 1 << 20

// giveStdin sends standard input until it ends, or until the run refuses a piece: a script
// may end without reading all of it. The goroutine may stay in a Read until the process
// ends, because nothing else can end the Read.
func giveStdin(ctx context.Context, to Place, runID string, stdin io.Reader) {
	buffer := make([]byte, stdinPiece)
	for {
		n, err := stdin.Read(buffer)
		piece := toolscript.StdinPiece{Data: buffer[:n], EOF: err != nil}
		if err != nil && !errors.Is(err, io.EOF) {
			piece.Error = terminal.WithoutPath(err) // the script must not see the path
		}
		if givePiece(ctx, to, runID, piece) != nil || err != nil {
			return
		}
	}
}

// givePiece sends a piece, and repeats a request that timed out because the script has not
// read the previous piece.
func givePiece(ctx context.Context, to Place, runID string, piece toolscript.StdinPiece) error {
	for {
		err := to.GiveStdin(ctx, runID, piece)
		if toolscript.KindOf(err) != toolscript.Timeout || ctx.Err() != nil {
			return err
		}
	}
}
