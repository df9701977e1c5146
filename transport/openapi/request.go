package openapi

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// request returns the HTTP request of a call. The arguments must be valid for the schema of the tool.
func (o *operation) request(ctx context.Context, base string, given map[string][]byte) (*http.Request, error) {
	path, query, header, err := o.place(given)
	if err != nil {
		return nil, err
	}
	address := strings.TrimSuffix(base, "/") + path
	if len(query) > 0 {
		separator := "?"
		if strings.Contains(address, "?") {
			separator = "&"
		}
		address += separator + strings.Join(query, "&")
	}
	content, media, err := o.encode(given)
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if content != nil {
		body = bytes.NewReader(content)
	}
	r, err := http.NewRequestWithContext(ctx, o.Method, address, body)
	if err != nil {
		return nil, err
	}
	r.Header = header
	if content != nil {
		r.Header.Set("Content-Type", media)
	}
	r.Header.Set("Accept", cmp.Or(o.asked(given), "*/*"))
	return r, nil
}

// asked returns the media type that a call asks for, or "" for any.
func (o *operation) asked(given map[string][]byte) string {
	if chosen := given[o.Choice]; o.Choice != "" && chosen != nil {
		return unquote(chosen)
	}
	return o.Accept
}

// place returns the path, the query and the headers of a request, with the parameters inserted.
func (o *operation) place(given map[string][]byte) (path string, query []string, header http.Header, err error) {
	path, header = o.Path, http.Header{}
	for _, p := range o.Parameters {
		value := given[p.Name]
		if value == nil {
			value = p.Otherwise
		}
		if value == nil || isNull(value) && p.In != "path" {
			continue
		}
		switch p.In {
		case "path":
			text, err := p.inPath(value)
			if err != nil {
				return "", nil, nil, err
			}
			path = strings.ReplaceAll(path, "{"+p.Wire+"}", text)
		case "query":
			query = append(query, p.pairs(value)...)
		case "header":
			text := p.simple(value, plain)
			if strings.ContainsAny(text, "\r\n\x00") {
				return "", nil, nil, fmt.Errorf("%s: a header has one line", p.Name)
			}
			if text != "" || value[0] == '"' {
				header.Set(p.Wire, text)
			}
		case "cookie":
			header.Set("Cookie", strings.TrimPrefix(header.Get("Cookie")+"; "+strings.Join(p.pairs(value), "; "), "; "))
		}
	}
	if i := strings.IndexByte(path, '{'); i >= 0 {
		return "", nil, nil, fmt.Errorf("the document declares no parameter for %s", path[i:])
	}
	if part := dotSegment(path); part != "" {
		return "", nil, nil, fmt.Errorf("the arguments make %q a part of the path, which would lead to another one", part)
	}
	return path, query, header, nil
}

// maxDecoded is the maximum number of times that a path may be escaped.
const maxDecoded = 8

// dotSegment returns a segment that could lead to another path, or "" if there is none. Servers and
// proxies decode a path, some of them repeatedly. Some treat a backslash as a slash, or ignore the
// text after a semicolon.
func dotSegment(path string) string {
	for range maxDecoded {
		for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
			if segment, _, _ := strings.Cut(part, ";"); slices.Contains([]string{".", ".."}, strings.TrimRight(segment, " \x00")) {
				return part
			}
		}
		decoded := unescaped(path)
		if decoded == path {
			return ""
		}
		path = decoded
	}
	return "%25" // escaped too often
}

// unescaped decodes the escapes of a path once. Invalid escapes stay.
func unescaped(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			if c, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// inPath returns a value as a part of the path. Slashes in the value are escaped.
func (p parameter) inPath(value []byte) (string, error) {
	text := p.simple(value, url.PathEscape)
	if text == "" {
		return "", fmt.Errorf("%s: an empty text cannot be a part of a path", p.Name)
	}
	switch p.Style {
	case "label":
		separator := ","
		if p.Explode {
			separator = "."
		}
		return "." + p.joined(value, separator, url.PathEscape), nil
	case "matrix":
		return p.matrix(value), nil
	default:
		return text, nil
	}
}

func (p parameter) matrix(value []byte) string {
	name := ";" + url.PathEscape(p.Wire)
	if !p.Explode || value[0] != '[' && value[0] != '{' {
		return name + "=" + p.joined(value, ",", url.PathEscape)
	}
	var out strings.Builder
	for item := range items(value) {
		if !isNull(item) {
			out.WriteString(name + "=" + url.PathEscape(scalar(item)))
		}
	}
	for key, item := range members(value) {
		if !isNull(item) {
			out.WriteString(";" + url.PathEscape(key) + "=" + url.PathEscape(scalar(item)))
		}
	}
	return out.String()
}

// simple returns a value in the style "simple".
func (p parameter) simple(value []byte, escape func(string) string) string {
	if p.JSON {
		return escape(string(value))
	}
	return p.joined(value, ",", escape)
}

// joined returns a value as one text. It joins the items of an array or the members of an object, and leaves out nulls.
func (p parameter) joined(value []byte, separator string, escape func(string) string) string {
	var parts []string
	switch value[0] {
	case '[':
		for item := range items(value) {
			if !isNull(item) {
				parts = append(parts, escape(scalar(item)))
			}
		}
	case '{':
		for key, item := range members(value) {
			switch {
			case isNull(item):
			case p.Explode:
				parts = append(parts, escape(key)+"="+escape(scalar(item)))
			default:
				parts = append(parts, escape(key), escape(scalar(item)))
			}
		}
	default:
		return escape(scalar(value))
	}
	return strings.Join(parts, separator)
}

// queryEscape escapes a text for a query or a form. A space becomes %20, which every server understands.
func queryEscape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// pairs returns a value as escaped pairs of a query or a form. Nulls are left out, even in an object.
func (p parameter) pairs(value []byte) (out []string) {
	name := queryEscape(p.Wire)
	encode := p.escape()
	switch {
	case isNull(value):
		return nil
	case p.JSON:
		return []string{name + "=" + queryEscape(string(value))}
	case p.Style == "deepObject" && (value[0] == '{' || value[0] == '['):
		return deep(p.Wire, value, encode)
	case value[0] == '[':
		separator := map[string]string{"spaceDelimited": "%20", "pipeDelimited": "%7C"}[p.Style]
		if separator == "" {
			separator = ","
		}
		if p.Explode {
			for item := range items(value) {
				if !isNull(item) {
					out = append(out, name+"="+encode(scalar(item)))
				}
			}
			return out
		}
		if text := p.joined(value, separator, encode); text != "" {
			out = append(out, name+"="+text)
		}
		return out
	case value[0] == '{' && p.Explode:
		for key, item := range members(value) {
			if !isNull(item) {
				out = append(out, queryEscape(key)+"="+encode(scalar(item)))
			}
		}
		return out
	default:
		text := p.joined(value, ",", encode)
		if text == "" && value[0] == '{' {
			return nil
		}
		return []string{name + "=" + text}
	}
}

// deep returns the pairs of an object in the form name[key]=value.
func deep(name string, value []byte, encode func(string) string) (out []string) {
	switch value[0] {
	case '{':
		for key, item := range members(value) {
			out = append(out, deep(name+"["+key+"]", item, encode)...)
		}
	case '[':
		i := 0
		for item := range items(value) {
			out = append(out, deep(fmt.Sprintf("%s[%d]", name, i), item, encode)...)
			i++
		}
	default:
		if !isNull(value) {
			out = append(out, queryEscape(name)+"="+encode(scalar(value)))
		}
	}
	return out
}

// escape returns the function that escapes a value of the query. If the document allows reserved
// characters, the function keeps them, except those that would end the value.
func (p parameter) escape() func(string) string {
	if !p.Raw {
		return queryEscape
	}
	return func(text string) string {
		text = queryEscape(text)
		for _, c := range ":/?@!$'()*,;" {
			text = strings.ReplaceAll(text, fmt.Sprintf("%%%02X", c), string(c))
		}
		return strings.ReplaceAll(text, "%5B", "[")
	}
}

func plain(text string) string { return text }

func isNull(value []byte) bool { return string(bytes.TrimSpace(value)) == "null" }

// scalar returns a string without its quotes, or the JSON of any other value.
func scalar(value []byte) string {
	if value[0] == '"' {
		return unquote(value)
	}
	return string(bytes.TrimSpace(value))
}

// encode returns the body of a request, or nil if there is no body.
func (o *operation) encode(given map[string][]byte) (content []byte, media string, err error) {
	b := o.Body
	if b == nil {
		return nil, "", nil
	}
	if value := given[b.Bytes]; b.Bytes != "" && value != nil && !isNull(value) {
		return b.raw(b.Bytes, value)
	}
	if b.Whole != "" {
		value := given[b.Whole]
		if value == nil {
			return nil, "", nil
		}
		return b.encodeWhole(value)
	}
	fields := map[string][]byte{}
	for name, argument := range b.Fields {
		if value := given[argument]; value != nil {
			fields[name] = value
		}
	}
	if b.Open {
		o.addOthers(given, fields)
	}
	if len(fields) == 0 && (!isJSON(b.Media) || !b.Required) {
		return nil, "", nil
	}
	switch {
	case form(b.Media):
		return b.form(fields), "application/x-www-form-urlencoded", nil
	case isMultipart(b.Media):
		return b.multipart(fields)
	default:
		return joinedObject(fields), jsonMedia(b.Media), nil
	}
}

// addOthers adds the arguments that the document does not name as members of the body.
func (o *operation) addOthers(given, fields map[string][]byte) {
	named := map[string]bool{o.Choice: true, o.Body.Bytes: true}
	for _, p := range o.Parameters {
		named[p.Name] = true
	}
	for _, argument := range o.Body.Fields {
		named[argument] = true
	}
	for name, value := range given {
		if !named[name] {
			fields[name] = value
		}
	}
}

func (b *body) encodeWhole(value []byte) ([]byte, string, error) {
	switch {
	case b.Binary[""]:
		return b.raw(b.Whole, value)
	case isJSON(b.Media):
		return value, jsonMedia(b.Media), nil
	case form(b.Media) && isObject(value):
		return b.form(index(value)), "application/x-www-form-urlencoded", nil
	case isMultipart(b.Media) && isObject(value):
		return b.multipart(index(value))
	default:
		return []byte(scalar(value)), b.Media, nil
	}
}

// jsonMedia replaces a media type with wildcards by application/json.
func jsonMedia(media string) string {
	if strings.Contains(media, "*") {
		return "application/json"
	}
	return media
}

// joinedObject returns a JSON object with sorted members.
func joinedObject(fields map[string][]byte) []byte {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, name := range sortedKeys(fields) {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(quote(name))
		out.WriteByte(':')
		out.Write(fields[name])
	}
	out.WriteByte('}')
	return out.Bytes()
}

func (b *body) form(fields map[string][]byte) []byte {
	var pairs []string
	for _, name := range sortedKeys(fields) {
		p, said := b.Styles[name]
		if !said {
			p = parameter{Wire: name, Style: "form", Explode: true}
			if isObject(fields[name]) {
				p.Style = "deepObject"
			}
		}
		pairs = append(pairs, p.pairs(fields[name])...)
	}
	return []byte(strings.Join(pairs, "&"))
}

// multipart encodes a body with one part for each member: a file for bytes, JSON for an object or a
// list of objects, and text for any other value.
func (b *body) multipart(fields map[string][]byte) ([]byte, string, error) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for _, name := range sortedKeys(fields) {
		value := fields[name]
		values := [][]byte{value}
		if value[0] == '[' {
			values = slices.Collect(items(value))
		}
		for _, value := range values {
			if isNull(value) {
				continue
			}
			head := textproto.MIMEHeader{}
			content := []byte(scalar(value))
			disposition := `form-data; name="` + escapeQuotes(name) + `"`
			switch {
			case b.isFile(name):
				f, err := b.file(name, value)
				if err != nil {
					return nil, "", err
				}
				content = f.data
				disposition += `; filename="` + escapeQuotes(f.name) + `"`
				head.Set("Content-Type", f.media)
			case isObject(value):
				head.Set("Content-Type", "application/json")
			}
			if media := b.Types[name]; media != "" && !b.isFile(name) {
				head.Set("Content-Type", media)
			}
			head.Set("Content-Disposition", disposition)
			part, err := w.CreatePart(head)
			if err != nil {
				return nil, "", err
			}
			_, _ = part.Write(content) // writing to memory does not fail
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return out.Bytes(), w.FormDataContentType(), nil
}

func escapeQuotes(name string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", "").Replace(name)
}

func sortedKeys(m map[string][]byte) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
