package answer

import (
	"fmt"
	"strings"
)

// PieceKind is the kind of a Piece.
type PieceKind uint8

// The kinds of pieces.
const (
	PieceText      PieceKind = iota // text of the answer, including quoted tags
	PieceScript                     // a complete block
	PieceMalformed                  // a block that must not run; see Problem
)

// Piece is a part of a message. The Raw fields of all pieces together are the message.
type Piece struct {
	Kind       PieceKind
	Raw        string
	Start, End Position

	// Code is the code of a PieceScript without the tags, the fence and surrounding white
	// space. CodeStart is the position of the code.
	Code      string
	CodeStart Position

	// Problem says why a PieceMalformed must not run. At is the position of the problem.
	Problem string
	At      Position
}

// Join joins adjacent pieces of text, because a Detector may split text anywhere.
func Join(pieces []Piece) []Piece {
	var out []Piece
	for begin := 0; begin < len(pieces); {
		end := begin + 1
		for pieces[begin].Kind == PieceText && end < len(pieces) && pieces[end].Kind == PieceText {
			end++
		}
		out = append(out, joined(pieces[begin:end]))
		begin = end
	}
	return out
}

// joined joins adjacent pieces of text; a single piece is returned unchanged.
func joined(pieces []Piece) Piece {
	whole := pieces[0]
	if len(pieces) == 1 {
		return whole
	}
	var raw strings.Builder
	for _, p := range pieces {
		raw.WriteString(p.Raw)
	}
	whole.Raw, whole.End = raw.String(), pieces[len(pieces)-1].End
	return whole
}

const (
	openTag  = "<tool-calls>"
	closeTag = "</tool-calls>"
)

// unclosedIn returns the problem of a block that has no end because a part of its script, such
// as a string, is unfinished. from is the start of that part.
func unclosedIn(part string, from Position) string {
	return fmt.Sprintf("%s: the %s that begins at %s does not end, and a tag in it belongs to the script", unclosed, part, from)
}

const (
	unclosed       = "no " + closeTag + " follows"
	nestedProblem  = "a second " + openTag + " comes before " + closeTag
	nestingProblem = "the script nests too deep"
)
