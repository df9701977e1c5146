package worker

// maxStdin is the maximal size of a piece of standard input in one frame, in bytes.
const maxStdin = 1 << 20

// grantStdin sends pieces of standard input until all that the worker asked for are sent.
func (r *sandboxRun) grantStdin() {
	for {
		var header stdinHeader
		if len(r.stdin) == 0 {
			piece, err := r.ReadStdin(r.Context())
			if err != nil {
				header = stdinHeader{End: true, Err: err.Error()}
			} else {
				header.End = piece == nil
			}
			r.stdin = piece
		}
		piece := r.stdin[:min(len(r.stdin), maxStdin)]
		r.stdin = r.stdin[len(piece):]
		_ = r.sendJSON(frameStdin, header, piece) // the reader of frames sees a broken link
		if r.wanted.Add(-1) == 0 {
			return
		}
	}
}

// ReadStdin implements quickjs.Host.
func (g *guest) ReadStdin() {
	_ = g.link.write(frameWantStdin) // an error means that the gateway has ended
}
