package mcp

import (
	"fmt"
	"strings"

	"github.com/toolscript/toolscript/internal/texts"
)

// maxOutput is the maximum length of console output in a result without maxTokens, in bytes.
const maxOutput = 16 << 10

// bytesPerToken is the estimated length of a token of console output.
const bytesPerToken = 4

// console returns the console output of the run as the client sees it, and a notice that
// says where the rest is.
func (s *script) console() (shown string, notices []string) {
	whole, most := s.output.String(), maxOutput
	if s.tokens > 0 {
		most = min(most, s.tokens*bytesPerToken)
	}
	if s.end != nil && s.end.Kept != nil && s.end.Kept.OutputBytes > 0 {
		// The gateway stores only what exceeds its own limit, and stores one text per run.
		return middle(whole, most), []string{"more console output: read resource " + outputURI(s.runID, "output")}
	}
	if len(whole) <= most {
		return whole, nil
	}
	notice := fmt.Sprintf("the console output is %d bytes and its middle is left out. Print less, or read resource %s?range=0-%d",
		len(whole), outputURI(s.runID, "output"), most-1)
	if err := s.KeepOutput(s.runID, []byte(whole)); err != nil {
		notice = fmt.Sprintf("the console output is %d bytes, and its middle is lost, because it cannot be stored: %v", len(whole), err)
	}
	return middle(whole, most), []string{notice}
}

// middle shortens output to about most bytes by removing its middle: whole lines, or whole
// characters of lines that are too long.
func middle(output string, most int) string {
	if len(output) <= most {
		return output
	}
	head, tail := len(texts.Cut(output, most/2)), len(output)-len(texts.End(output, most/2))
	if end := strings.LastIndexByte(output[:head], '\n'); end >= 0 {
		head = end
	}
	if start := strings.IndexByte(output[tail:], '\n'); start >= 0 && tail+start+1 < len(output) {
		tail += start + 1
	}
	return fmt.Sprintf("%s\n… [%d bytes are left out] …\n%s", output[:head], tail-head, output[tail:])
}
