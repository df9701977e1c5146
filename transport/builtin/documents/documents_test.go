package documents_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/builtin/documents"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/upstream"
)

const writer = "__writer"

// TestMain makes the test binary write documents until it is killed, if its first argument says so.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == writer {
		os.Exit(write(os.Args[2], os.Args[3], os.Args[4]))
	}
	os.Exit(m.Run())
}

func workspace(t *testing.T) *tool.Workspace {
	t.Helper()
	return open(t, t.TempDir(), t.TempDir())
}

func open(t *testing.T, root, state string) *tool.Workspace {
	t.Helper()
	w, err := tool.Open(files.Folder{}, root, upstream.Host{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

type object = map[string]any

// call calls a tool and decodes its result.
func call(t *testing.T, w *tool.Workspace, tool tool.Tool, args any) (result object, err error) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	value, err := tool.Run(t.Context(), w, raw)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	if err != nil {
		t.Fatal(err)
	}
	return result, nil
}

func must(t *testing.T, w *tool.Workspace, tool tool.Tool, args any) object {
	t.Helper()
	result, err := call(t, w, tool, args)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestDocuments(t *testing.T) {
	w := workspace(t)
	if got := must(t, w, documents.FetchFromFC, object{}); len(got["announcements"].([]any)) != 0 || len(got["documents"].([]any)) != 0 {
		t.Errorf("an empty cabinet has %v", got)
	}
	first := must(t, w, documents.SaveToFC, object{"content": "\n# A title\ntext", "fileKey": "mine"})
	if first["fileKey"] != "mine" || first["tokens"] != 4.0 || first["success"] != true {
		t.Errorf("saved: %v", first)
	}
	second := must(t, w, documents.SaveToFC, object{"content": "ä", "title": "Second"})
	key, _ := second["fileKey"].(string)
	if !strings.HasPrefix(key, "doc_") {
		t.Errorf("saved: %v", second)
	}
	must(t, w, documents.SaveToFC, object{"content": "replaced", "fileKey": "mine"})
	got := must(t, w, documents.FetchFromFC, object{"fileKey": []string{key, "mine"}})
	all, _ := got["documents"].([]any)
	if len(all) != 2 || all[0].(object)["content"] != "ä" || all[0].(object)["title"] != "Second" || all[1].(object)["content"] != "replaced" {
		t.Errorf("the documents are %v", all)
	}
	board, _ := must(t, w, documents.FetchFromFC, object{})["announcements"].([]any)
	if len(board) != 2 || board[0].(object)["fileKey"] != "mine" || board[0].(object)["title"] != "replaced" || board[1].(object)["content"] != nil {
		t.Errorf("the board is %v", board)
	}
}

// TestDamagedFile: if a file has lost its end, the next command returns an error, and the process
// does not crash.
func TestDamagedFile(t *testing.T) {
	state := t.TempDir()
	w := open(t, t.TempDir(), state)
	must(t, w, documents.SaveToFC, object{"content": strings.Repeat("x", 100_000), "fileKey": "k"})
	files, err := filepath.Glob(filepath.Join(state, "documents", "*.db"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.Truncate(files[0], int64(2*os.Getpagesize()+100)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := call(t, w, documents.FetchFromFC, object{"fileKey": "k"}); err == nil || !strings.Contains(err.Error(), "is damaged") || !strings.Contains(err.Error(), "mv '"+files[0]) {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestPrompts(t *testing.T) {
	w := workspace(t)
	saved := must(t, w, documents.SavePrompt, object{"content": "Be brief."})
	key, _ := saved["promptKey"].(string)
	if got := must(t, w, documents.GetPrompt, object{"promptKey": key}); got["content"] != "Be brief." || got["tokens"] != 3.0 || got["promptKey"] != key {
		t.Errorf("the prompt is %v", got)
	}
	must(t, w, documents.SavePrompt, object{"content": "Be long.", "promptKey": key})
	if got := must(t, w, documents.GetPrompt, object{"promptKey": key}); got["content"] != "Be long." {
		t.Errorf("the prompt is %v", got)
	}
	if _, err := call(t, w, documents.FetchFromFC, object{"fileKey": key}); toolscript.KindOf(err) != toolscript.NotFound {
		t.Errorf("the prompt is a document: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	w := workspace(t)
	for name, test := range map[string]struct {
		tool tool.Tool
		args object
		want string
	}{
		"no such document": {documents.FetchFromFC, object{"fileKey": "none"}, `there is no document "none"`},
		"no such prompt":   {documents.GetPrompt, object{"promptKey": "none"}, `there is no prompt "none"`},
		"a long key":       {documents.SaveToFC, object{"fileKey": strings.Repeat("x", 201), "content": ""}, "between 1 and 200 bytes"},
		"a long text":      {documents.SavePrompt, object{"content": strings.Repeat("x", documents.MaxContent+1)}, "at most"},
	} {
		if _, err := call(t, w, test.tool, test.args); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := call(t, open(t, t.TempDir(), ""), documents.SaveToFC, object{"content": ""}); err == nil {
		t.Error("a document was saved without a data folder")
	}
}

// TestEachRootHasItsDocuments checks that only workspaces with the same root share documents.
func TestEachRootHasItsDocuments(t *testing.T) {
	state, root := t.TempDir(), t.TempDir()
	must(t, open(t, root, state), documents.SaveToFC, object{"content": "x", "fileKey": "k"})
	must(t, open(t, root, state), documents.FetchFromFC, object{"fileKey": "k"})
	if _, err := call(t, open(t, t.TempDir(), state), documents.FetchFromFC, object{"fileKey": "k"}); toolscript.KindOf(err) != toolscript.NotFound {
		t.Errorf("another root has the document: %v", err)
	}
}

func TestOldPagesAreDeleted(t *testing.T) {
	s, err := documents.Of(workspace(t))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for _, a := range []documents.Announcement{
		{FileKey: "old page", URL: "http://a.test", SavedAt: now.Add(-8 * 24 * time.Hour)},
		{FileKey: "old document", SavedAt: now.Add(-800 * 24 * time.Hour)},
		{FileKey: "last", SavedAt: now},
		{FileKey: "page", URL: "http://b.test", SavedAt: now}, // replaces the old page
	} {
		if err := s.Save(documents.Document{Announcement: a}); err != nil {
			t.Fatal(err)
		}
	}
	board, err := s.Board()
	if err != nil || len(board) != 3 || board[2].FileKey != "old document" {
		t.Errorf("the board is %+v, %v", board, err)
	}
}

// content returns the text of the i-th document of a writer.
func content(i int) string { return strings.Repeat(strconv.Itoa(i)+" ", 2000) }

// write saves a document for each line of its input, and prints the number of each.
func write(root, state, name string) int {
	w, err := tool.Open(files.Folder{}, root, upstream.Host{StateDir: state})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	lines := bufio.NewScanner(os.Stdin)
	for i := 0; lines.Scan(); i++ {
		args, _ := json.Marshal(object{"content": content(i), "fileKey": name + strconv.Itoa(i)})
		if _, err := documents.SaveToFC.Run(context.Background(), w, args); err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(i)
	}
	return 0
}

// TestDocumentsSurviveKill kills two processes that write to one store, each during its last
// write, several times. All documents whose save has returned must be there.
func TestDocumentsSurviveKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	state, root := t.TempDir(), t.TempDir()
	w := open(t, root, state)
	for round := range 6 {
		writes := 3 + round%3
		var group sync.WaitGroup
		var saved [2]int
		for i := range saved {
			group.Go(func() {
				name := fmt.Sprintf("%d-%d-", round, i)
				cmd := exec.CommandContext(t.Context(), self, writer, root, state, name)
				out, err := cmd.StdoutPipe()
				if err == nil {
					in, _ := cmd.StdinPipe()
					err = cmd.Start()
					_, _ = fmt.Fprint(in, strings.Repeat("\n", writes)) // the input stays open
				}
				if err != nil {
					t.Error(err)
					return
				}
				lines := bufio.NewScanner(out)
				for lines.Scan() {
					if n, err := strconv.Atoi(lines.Text()); err != nil || n != saved[i] {
						t.Errorf("the writer printed %q", lines.Text())
						break
					}
					if saved[i]++; saved[i] == writes-1 {
						_ = cmd.Process.Kill() // the output up to the kill is read, too
					}
				}
				_ = cmd.Wait() // killed, so an error is expected
			})
		}
		group.Wait()
		for i, n := range saved {
			if n < writes-1 {
				t.Errorf("writer %d saved %d documents", i, n)
			}
			for number := range n {
				key := fmt.Sprintf("%d-%d-%d", round, i, number)
				got := must(t, w, documents.FetchFromFC, object{"fileKey": key})["documents"].([]any)
				if got[0].(object)["content"] != content(number) {
					t.Errorf("the document %s is damaged", key)
				}
			}
		}
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	w := workspace(t)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			key := strconv.Itoa(i)
			if _, err := call(t, w, documents.SaveToFC, object{"content": key, "fileKey": key}); err != nil {
				t.Error(err)
			}
			if _, err := call(t, w, documents.FetchFromFC, object{"fileKey": key}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if board := must(t, w, documents.FetchFromFC, object{})["announcements"].([]any); len(board) != 20 {
		t.Errorf("the board has %d documents", len(board))
	}
}
