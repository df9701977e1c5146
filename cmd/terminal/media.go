package terminal

// Medium is an image or a sound of a value.
type Medium struct {
	Kind     string // image or audio
	MimeType string
	Data     string // base64
	Handle   string // handle of the data, as in its descriptor
}

// Media returns the images and sounds of a value in their order: at most blocks of them,
// with at most bytes of data in total. left is the number of the others.
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

// handle returns the argument with which toolscript output prints the data.
func (b blob) handle(runID string) string { return runID + "#" + b.pointer }
