package detect

import (
	"fmt"
	"strings"
)

// Kind is the kind of a Piece.
type Kind uint8

// The kinds of pieces.
const (
	Text      Kind = iota // text of the answer, which includes tags that are quoted
	Script                // a complete block
	Malformed             // a block that must not run: Problem says why
)

// Piece is a part of a message. The Raw of all pieces, in order, is the message.
type Piece struct {
	Kind       Kind
	Raw        string
	Start, End Position

	// Code is the text of a Script between its tags, without the fence and the white
	// space around it, and CodeStart is its place.
	Code      string
	CodeStart Position

	// Problem says why nothing of a Malformed block may run, and At is the place.
	Problem string
	At      Position
}

// Blocks returns the pieces that are no text.
func Blocks(pieces []Piece) []Piece {
	var blocks []Piece
	for _, p := range pieces {
		if p.Kind != Text {
			blocks = append(blocks, p)
		}
	}
	return blocks
}

// Join joins adjacent pieces of text: a Detector may cut text anywhere.
func Join(pieces []Piece) []Piece {
	var out []Piece
	for begin := 0; begin < len(pieces); {
		end := begin + 1
		for pieces[begin].Kind == Text && end < len(pieces) && pieces[end].Kind == Text {
			end++
		}
		out = append(out, joined(pieces[begin:end]))
		begin = end
	}
	return out
}

// joined returns one piece for one block, or for several pieces of text.
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

// unclosedIn says that a block has no end, because a part of its script that begins at
// from has none.
func unclosedIn(part string, from Position) string {
	return fmt.Sprintf("%s: the %s that begins at %s does not end, and a tag in it belongs to the script", unclosed, part, from)
}

const (
	unclosed       = "no " + closeTag + " follows"
	nestedProblem  = "a second " + openTag + " comes before " + closeTag
	nestingProblem = "the script nests too deep"
)
