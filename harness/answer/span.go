package answer

// paragraph holds what was read ahead of pos to find the end of inline code. Inline code ends
// at a run of backticks of the same length in the same paragraph. Offsets are relative to the
// message.
type paragraph struct {
	read   int           // offset up to which the text was read
	run    int           // number of backticks directly before read, in a run that may continue
	atLine bool          // read is the start of a line
	ended  bool          // the paragraph ends at read
	quotes int           // number of block quotes around the paragraph
	runs   map[int][]int // offsets of the runs by length
}

// span reads a run of backticks, and the inline code that it opens, if any.
func (d *Detector) span() bool {
	for d.pos+d.run < len(d.buf) && d.buf[d.pos+d.run] == '`' {
		d.run++
	}
	if d.pos+d.run == len(d.buf) && !d.final {
		return false
	}
	from := d.base() + d.pos + d.run
	if p := &d.paragraph; p.runs == nil || from > p.read || p.ended && from == p.read {
		if p.runs == nil {
			p.runs = map[int][]int{}
		}
		*p = paragraph{read: from, quotes: d.quotes, runs: p.runs} // next reuses the map and drops the old runs
	}
	for {
		if closing, found := d.paragraph.next(d.run, from); found {
			d.pos = closing + d.run - d.base()
			break
		}
		if d.paragraph.ended {
			d.pos += d.run // the run is text
			break
		}
		if !d.ahead() {
			return false
		}
	}
	d.mode = inText
	return true
}

// next returns the first run of the given length at or after from, and drops earlier runs.
func (p *paragraph) next(length, from int) (at int, found bool) {
	places := p.runs[length]
	for len(places) > 0 && places[0] < from {
		places = places[1:]
	}
	if len(places) == 0 {
		delete(p.runs, length)
		return 0, false
	}
	p.runs[length] = places
	return places[0], true
}

// ahead reads to the end of the next run of backticks, or to the end of the paragraph.
// It returns false if more text is needed.
func (d *Detector) ahead() bool {
	p := &d.paragraph
	for {
		i := p.read - d.base()
		switch {
		case i == len(d.buf):
			if !d.final {
				return false
			}
			p.ended = p.run == 0
			return p.endRun()
		case d.buf[i] == '`' && !p.atLine:
			p.run++
			p.read++
		case p.run > 0:
			return p.endRun()
		case p.atLine:
			head, ok := d.head(i)
			if !ok {
				return false
			}
			p.atLine = false
			if head.blank || head.list || head.fence.size > 0 || head.quotes > p.quotes {
				p.ended = true
				return true
			}
		case d.buf[i] == '\n':
			p.atLine = true
			p.read++
		default:
			for i++; i < len(d.buf) && d.buf[i] != '`' && d.buf[i] != '\n'; i++ {
			}
			p.read = d.base() + i
		}
	}
}

// endRun records the run that ends at read, if there is one. It always returns true.
func (p *paragraph) endRun() bool {
	if p.run > 0 {
		p.runs[p.run] = append(p.runs[p.run], p.read-p.run)
		p.run = 0
	}
	return true
}
