package value

// Medium is an image or a sound of a value.
type Medium struct {
	Kind     string // image or audio
	MimeType string
	Data     string // base64
	Handle   string // as in the descriptor in its place
}

// Media returns the images and sounds of a value: at most blocks of them, in the order of
// the value, with at most bytes of data together. left is the number of the others.
func Media(runID string, value []byte, blocks, bytes int64) (media []Medium, left int) {
	_, all := describeBlobs(runID, value)
	for _, b := range all {
		if b.kind != "image" && b.kind != "audio" {
			continue
		}
		if int64(len(media)) == blocks || int64(b.size) > bytes {
			left++
			continue
		}
		bytes -= int64(b.size)
		media = append(media, Medium{Kind: b.kind, MimeType: b.mimeType, Data: b.data, Handle: b.handle(runID)})
	}
	return media, left
}

// handle is the argument of toolscript output that prints the data.
func (b blob) handle(runID string) string { return runID + "#" + b.pointer }
