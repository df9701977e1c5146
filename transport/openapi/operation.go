package openapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/toolscript/toolscript"
)

// operation is one operation of a document, with everything that is needed to make requests from calls of its tool. The
// worker process that reads the document sends operations as JSON.
type operation struct {
	Tool   toolscript.Tool
	Method string
	Path   string   // a template, such as /pets/{id}
	Base   string   `json:",omitempty"` // address of the operation's own server; "": the address of the API
	Tags   []string `json:",omitempty"`

	Parameters []parameter     `json:",omitempty"`
	Body       *body           `json:",omitempty"`
	Accept     string          `json:",omitempty"` // media type of the answer; "": any
	Choice     string          `json:",omitempty"` // argument that chooses another media type; "": no other type exists
	Headers    map[string]bool `json:",omitempty"` // headers of the answer that the document declares
	Silent     bool            `json:",omitempty"` // no answer has content
	Text       bool            `json:",omitempty"` // the JSON answer is a string
}

// parameter is a parameter of a request that is not part of its body.
type parameter struct {
	Name    string // name of the argument
	Wire    string // name in the request
	In      string // path, query, header or cookie
	Style   string
	Explode bool `json:",omitempty"`
	Raw     bool `json:",omitempty"` // reserved characters are not escaped
	JSON    bool `json:",omitempty"` // the value is sent as JSON

	Otherwise []byte `json:",omitempty"` // default of a path parameter, used if the argument is missing
}

// body is the body of a request.
type body struct {
	Media    string
	Required bool
	Whole    string               `json:",omitempty"` // argument that is the whole body; "": the body consists of fields
	Open     bool                 `json:",omitempty"` // arguments that the document does not name become members of the body
	Fields   map[string]string    `json:",omitempty"` // argument of each member
	Binary   map[string]bool      `json:",omitempty"` // members that are files; the key "" is the whole body
	Styles   map[string]parameter `json:",omitempty"`
	Types    map[string]string    `json:",omitempty"` // media type of each part
	Files    bool                 `json:",omitempty"` // members that the document does not name are files
	Bytes    string               `json:",omitempty"` // argument for a body of bytes instead of members; "": there is none
	Raws     []string             `json:",omitempty"` // media types for a body of bytes
}

// methods lists the methods of operations, in the order of the tools of one path.
var methods = []string{"get", "head", "options", "trace", "post", "put", "patch", "delete"}

// reader builds the operations of a document.
type reader struct {
	*schemas
	at       string         // path or URL of the document
	names    map[string]int // names of tools; the value is the last number that was appended to the name
	selected []string       // see operation.selects
	sent     []sentParameter
	fixed    bool  // the configuration sets the address of the API
	broken   error // error of the first operation that was left out
}

// leaveOut records that an operation is left out. So a mistake in a document removes at most one tool.
func (r *reader) leaveOut(operation string, err error) {
	r.warn("%s is left out: %v", operation, err)
	if r.broken == nil {
		r.broken = fmt.Errorf("%s: %w", operation, err)
	}
}

// Limits of a document. GitHub's has 1,100 operations, whose schemas have 6 MB; the largest
// public documents have about 20,000 operations.
const (
	maxSchemas    = 64 << 20 // bytes of the schemas of all tools
	maxOperations = 30_000
	maxParameters = 1000    // per operation
	maxPath       = 8 << 10 // bytes of a path
)

// found is an operation whose schemas are not built yet.
type found struct {
	operation
	text map[string][]byte // members of the operation
	of   map[string][]byte // members of its path item
	at   place
}

var errSchemas = fmt.Errorf("the schemas of its operations have more than %d MB; name fewer \"operations\" of the server", maxSchemas>>20)

// operations returns the selected operations of a document, in its order, and the number of all
// operations. If all schemas together are too large, operations builds them again, with an equal
// share of bytes for each schema. Definitions that do not fit into the share accept any value.
func (r *reader) operations(paths []byte) (out []operation, count int, err error) {
	all, count, err := r.find(paths)
	if err != nil {
		return nil, count, err
	}
	warnings := len(r.warnings)
	out, err = r.build(all)
	if errors.Is(err, errSchemas) {
		r.warnings = r.warnings[:warnings]
		r.most = maxSchemas / len(all) / 3 // a third each for arguments, results, and the parts outside of $defs
		out, err = r.build(all)
	}
	return out, count, err
}

// build builds the schemas of operations.
func (r *reader) build(all []found) (out []operation, err error) {
	r.written = 0
	for _, f := range all {
		op := f.operation
		if err := r.operation(&op, f.text, f.of, f.at); err != nil {
			r.leaveOut(op.Method+" "+op.Path, err)
			continue
		}
		if r.written += len(op.Tool.InputSchema) + len(op.Tool.OutputSchema); r.written > maxSchemas {
			return nil, errSchemas
		}
		out = append(out, op)
	}
	return out, nil
}

// find returns the selected operations, without schemas, and the number of all operations.
func (r *reader) find(paths []byte) (out []found, count int, err error) {
	for path, text := range members(paths) {
		if len(path) > maxPath {
			r.leaveOut(fmt.Sprintf("the path %.100s…", path), fmt.Errorf("it has %d bytes; the limit is %d", len(path), maxPath))
			continue
		}
		text, at, err := r.library.follow(text, place{r.at, "/paths/" + escape(path)})
		if err != nil {
			r.leaveOut("the path "+path, err)
			continue
		}
		all := index(text)
		for _, method := range methods {
			if all[method] == nil {
				continue
			}
			count++
			op := operation{Method: strings.ToUpper(method), Path: path}
			text := index(all[method])
			op.Tags, op.Tool.Name = writtenAll(text["tags"]), r.name(written(text["operationId"]), method, path)
			if !op.selects(r.selected) {
				continue
			}
			if len(out) == maxOperations {
				return nil, count, fmt.Errorf("more than %d of its operations are selected; name fewer \"operations\" of the server", maxOperations)
			}
			out = append(out, found{op, text, all, at})
		}
	}
	return out, count, nil
}

func escape(step string) string {
	return strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1")
}

// operation completes op. text has the members of the operation, and of the members of its path item.
func (r *reader) operation(op *operation, text, of map[string][]byte, at place) error {
	servers := text["servers"]
	if servers == nil {
		servers = of["servers"]
	}
	if own := r.firstServer(servers); own != "" && !r.fixed {
		base, err := absolute(own, r.at)
		if err != nil {
			return err
		}
		op.Base = base
	}
	in := &input{reader: r, at: at, taken: map[string]string{}}
	if err := in.declare(op, of["parameters"], text["parameters"]); err != nil {
		return err
	}
	in.undeclared(op)
	if err := in.request(text["requestBody"]); err != nil {
		return err
	}
	result, err := r.result(text["responses"], at)
	if err != nil {
		return err
	}
	if op.Method == http.MethodHead { // an answer to HEAD has no body
		result.schema, result.list, result.silent = nothing(result.headers), false, true
	}
	op.Accept, op.Headers, op.Silent, op.Text = result.media, result.headers, result.silent, result.text
	op.Choice = in.choose(result)
	op.Parameters, op.Body = in.parameters, in.body
	if op.Body != nil {
		op.Body.Open = in.open
	}
	op.Tool = toolscript.Tool{
		Name: op.Tool.Name, Description: description(text, op.Method, op.Path),
		InputSchema: in.schema(), OutputSchema: result.schema, Annotations: annotations(op.Method), Pages: op.paged(result),
	}
	return nil
}

// description returns the description of an operation.
func description(text map[string][]byte, method, path string) string {
	summary, more := strings.TrimSpace(written(text["summary"])), strings.TrimSpace(written(text["description"]))
	if strings.HasPrefix(more, summary) {
		summary = ""
	}
	all := strings.TrimSpace(summary + "\n\n" + more)
	if isTrue(text["deprecated"]) {
		all = strings.TrimSpace("Deprecated. " + all)
	}
	if all == "" {
		return method + " " + path
	}
	return all
}

// name returns an unused name for a tool: the operationId, or otherwise method and path. It appends a number to
// equal names.
func (r *reader) name(id, method, path string) string {
	name := strings.Trim(notInName().ReplaceAllString(id, "_"), "_")
	if name == "" {
		name = method + "_" + strings.Trim(notInName().ReplaceAllString(path, "_"), "_")
	}
	name = name[:min(len(name), 120)]
	free := name
	for n := max(r.names[name], 1); r.names[free] > 0; { // begin with the last number that was used
		n++
		free = fmt.Sprintf("%s_%d", name, n)
		r.names[name] = n
	}
	r.names[free] = 1
	return free
}

func annotations(method string) (a toolscript.Annotations) {
	yes, no := true, false
	a.OpenWorld = &yes
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE":
		a.ReadOnly, a.Destructive = &yes, &no
	case "DELETE":
		a.Destructive, a.Idempotent = &yes, &yes
	case "PUT":
		a.Idempotent = &yes
	}
	return a
}

// firstServer returns the address of the first server, with its variables replaced.
func (r *reader) firstServer(servers []byte) string {
	for server := range items(servers) {
		template := written(member(server, "url"))
		variables := index(member(server, "variables"))
		var address strings.Builder
		for rest := template; ; {
			before, after, open := strings.Cut(rest, "{")
			name, more, closed := strings.Cut(after, "}")
			if !open || !closed {
				address.WriteString(rest)
				break
			}
			address.WriteString(before)
			address.WriteString(r.variable(template, name, variables[name]))
			rest = more
		}
		return oneSlash(template, address.String())
	}
	return ""
}

// variable returns the value of a variable in a server's address: its default, or otherwise its first value.
func (r *reader) variable(template, name string, variable []byte) string {
	if variable == nil {
		r.warn("the address %.200q of a server has the variable %.100q, which the document does not declare; it stays as it is", template, name)
		return "{" + name + "}"
	}
	if given := member(variable, "default"); given != nil && !isNull(given) {
		return written(given)
	}
	for value := range items(member(variable, "enum")) {
		return written(value)
	}
	r.warn("the variable %.100q in the address %.200q of a server has no default; it is empty", name, template)
	return ""
}

// oneSlash removes additional slashes at the beginning of a path, unless the template has them. An
// empty variable must not make the next segment a host.
func oneSlash(template, address string) string {
	origin, path := splitOrigin(address)
	if _, of := splitOrigin(template); strings.HasPrefix(path, "//") && !strings.HasPrefix(of, "//") {
		return origin + "/" + strings.TrimLeft(path, "/")
	}
	return address
}

// splitOrigin splits an address into its origin and its path.
func splitOrigin(address string) (origin, path string) {
	scheme, rest, absolute := strings.Cut(address, "://")
	if !absolute {
		return "", address
	}
	end := strings.IndexByte(rest, '/')
	if end < 0 {
		return address, ""
	}
	end += len(scheme) + len("://")
	return address[:end], address[end:]
}
