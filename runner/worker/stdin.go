package worker

// maxStdin is the largest piece of standard input that is sent at once.
const maxStdin = 1 << 20

// grantStdin sends pieces of standard input until the worker asks for no more.
func (r *run) grantStdin() {
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
		_ = r.sendJSON(frameStdin, header, piece) // a broken link shows where frames are read
		if r.wanted.Add(-1) == 0 {
			return
		}
	}
}
