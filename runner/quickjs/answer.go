package quickjs

// The kinds of answers to calls, as the prelude gets them.
const (
	answerValue  = iota
	answerError  // an object with the fields of a ToolError
	answerThrown // an error that the parser threw
	answerContent
)

// answer creates the value of an answer in the instance. how is its kind.
func (r *run) answer(a Answer) (how int, value handle) {
	text := []byte(a.Value)
	switch {
	case a.Err != nil:
		how, text = answerError, a.Err.JSON()
	case a.WithContent:
		how = answerContent
	}
	if len(text) == 0 {
		return how, r.instance.undefined()
	}
	p := r.instance.tryPlace(text)
	if p == 0 && r.instance.err == nil {
		how, text = answerError, tooLarge(len(text)).JSON()
		p = r.instance.place(string(text))
	}
	parse := r.instance.parse
	if mayHaveLarge(text) {
		parse = r.instance.parseExact
	}
	value, thrown := r.parse(parse, p, len(text))
	if thrown {
		how = answerThrown
	}
	return how, value
}

// largeAnswer is the size in bytes from which an answer affects the garbage collector.
const largeAnswer = 64 << 10

func (r *run) parse(parse func(p uint32, length int) (handle, bool), p uint32, length int) (value handle, thrown bool) {
	if length < largeAnswer {
		return parse(p, length)
	}
	return r.instance.lenient(r.heapLimit, func() (handle, bool) { return parse(p, length) })
}
