package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/upstream"
)

// page is a web page as Markdown.
type page struct {
	url     string // address after redirects
	title   string
	content string
}

// load fetches a page. The body counts against the budget answers until it is converted.
func (f fetcher) load(ctx context.Context, from *url.URL) (page, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return page{}, err
	}
	req.Header.Set("User-Agent", "toolscript/"+toolscript.Version)
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, application/json;q=0.7, */*;q=0.1")
	resp, err := f.client.Do(req) //nolint:gosec // the guard of the client checks every address
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // without the address, which the caller knows
		}
		return page{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return page{}, fmt.Errorf("the server answered %s", resp.Status)
	}
	held, release := budget.Hold(ctx)
	defer release()
	body, err := upstream.ReadAnswer(held, f.answers.Lease(held), resp, maxBody)
	if err != nil {
		return page{}, err
	}
	return readPage(ctx, f.convert, pageInput{URL: resp.Request.URL.String(), Type: resp.Header.Get("Content-Type")}, body)
}

// Page is the conversion of the body of an answer to Markdown. Its input is a pageInput and
// the body; its output is a pageOutput and the Markdown.
var Page = upstream.ConvertKind{Name: "page", Most: 16 << 20, Do: convertPage}

type pageInput struct {
	URL  string `json:"url"`  // address after redirects
	Type string `json:"type"` // header Content-Type
}

type pageOutput struct {
	Title string `json:"title"`
}

// readPage converts the body of an answer in a worker process.
func readPage(ctx context.Context, port upstream.ConvertPort, in pageInput, body []byte) (page, error) {
	input, err := upstream.Pack(in, body)
	if err != nil {
		return page{}, err
	}
	packed, err := Page.Convert(ctx, port, input, nil)
	if err != nil {
		if toolscript.KindOf(err) == toolscript.Invalid { // the page is invalid, not the call
			err = errors.New(err.Error())
		}
		return page{}, err
	}
	var out pageOutput
	texts, err := upstream.Unpack(packed, &out)
	if err != nil || len(texts) != 1 {
		return page{}, errors.Join(err, errors.New("a fault of toolscript: the page was not converted"))
	}
	return page{url: in.URL, title: out.Title, content: string(texts[0])}, nil
}

func convertPage(input []byte, _ upstream.ConvertNeed) ([][]byte, error) {
	var in pageInput
	texts, err := upstream.Unpack(input, &in)
	if err != nil || len(texts) != 1 {
		return nil, errors.Join(err, errors.New("a fault of toolscript: there is no page"))
	}
	p := page{url: in.URL}
	if err := p.read(texts[0], in.Type); err != nil {
		return nil, err
	}
	return upstream.Pack(pageOutput{p.title}, []byte(p.content))
}

// read converts the body of an answer.
func (p *page) read(body []byte, contentType string) error {
	if contentType == "" {
		contentType = http.DetectContentType(body)
	}
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return fmt.Errorf("the page has the unreadable type %.100q", contentType)
	}
	if !isText(kind) {
		return fmt.Errorf("the page is %s, and not text", kind)
	}
	text, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		return err
	}
	if kind == "text/html" || kind == "application/xhtml+xml" {
		return p.convert(text)
	}
	raw, err := io.ReadAll(text)
	p.content = strings.ToValidUTF8(string(raw), "\ufffd")
	return err
}

func isText(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") ||
		slices.Contains([]string{"application/json", "application/xml", "application/javascript", "application/yaml"}, kind)
}

// convert converts HTML to Markdown. Relative addresses become absolute. Characters with a
// meaning in Markdown are not escaped, because escaping takes time in proportion to the
// square of the text's length.
func (p *page) convert(text io.Reader) error {
	root, err := html.Parse(text)
	if err != nil {
		return fmt.Errorf("the page cannot be parsed: %w", err)
	}
	p.title = title(root)
	flatten(root)
	markdown, err := newConverter().ConvertNode(root, converter.WithDomain(p.url))
	if err != nil {
		return fmt.Errorf("the page cannot be converted: %w", err)
	}
	p.content = strings.ToValidUTF8(string(markdown), "\ufffd")
	return nil
}

// newConverter returns the converter of package htmltomarkdown, but without escapes.
func newConverter() *converter.Converter {
	return converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()),
	)
}

// maxNesting is the maximum nesting of lists, quotes and tables. For each level, the
// converter writes each line of their content once more.
const maxNesting = 8

// flatten turns lists, quotes and tables that are nested too deeply into plain blocks.
func flatten(root *html.Node) {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || !nests(n) {
			continue
		}
		level := 0
		for above := n.Parent; above != nil; above = above.Parent {
			if nests(above) {
				level++
			}
		}
		if level >= maxNesting {
			n.DataAtom, n.Data = atom.Div, "div"
		}
	}
}

func nests(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Blockquote, atom.Ul, atom.Ol, atom.Li, atom.Table, atom.Dl, atom.Dd:
		return true
	default:
		return false
	}
}

// title returns the text of the first title element.
func title(root *html.Node) string {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Title && n.FirstChild != nil {
			return strings.Join(strings.Fields(n.FirstChild.Data), " ")
		}
	}
	return ""
}
