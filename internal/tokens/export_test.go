package tokens

// Expression is what the tests compare Piece with.
const Expression = expression

// Piece returns the size of the first piece of a text.
func Piece(text []byte) int { return piece(text) }
