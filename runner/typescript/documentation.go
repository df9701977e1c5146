package shim

import (
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/scanner"
)

// documentation returns the text of the comment /** … */ before the declaration of one of
// symbols, up to its first tag, or "".
func documentation(file *ast.SourceFile, symbols ...*ast.Symbol) string {
	for _, s := range symbols {
		for _, d := range s.Declarations {
			if ast.GetSourceFileOfNode(d) != file {
				continue
			}
			for n := d; n != nil && !ast.IsSourceFile(n) && !ast.IsBlock(n); n = n.Parent { // const f = () => …: the comment is before const
				if comment := leadingComment(file, n); comment != "" {
					return readComment(comment)
				}
				if ast.IsPropertySignatureDeclaration(n) || ast.IsFunctionDeclaration(n) || ast.IsPropertyDeclaration(n) || ast.IsPropertyAssignment(n) {
					break
				}
			}
		}
	}
	return ""
}

// leadingComment returns the last comment /** … */ in the text between a node and the
// token before it.
func leadingComment(file *ast.SourceFile, n *ast.Node) string {
	before := file.Text()[n.Pos():scanner.GetTokenPosOfNode(n, file, false)]
	begin := strings.LastIndex(before, "/**")
	if begin < 0 {
		return ""
	}
	comment, _, closed := strings.Cut(before[begin+len("/**"):], "*/")
	if !closed {
		return ""
	}
	return comment
}

// readComment returns the lines of a comment without their stars, up to the first tag.
func readComment(comment string) string {
	var lines []string
	for line := range strings.Lines(comment) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "*"))
		if strings.HasPrefix(line, "@") {
			break
		}
		lines = append(lines, line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
