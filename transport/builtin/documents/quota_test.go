package documents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/builtin/documents"
)

const full = "the file cabinet of this workspace is full: it has up to 64 MB"

// TestFullCabinet: the documents and prompts of a workspace share one limit on their size on the
// disk. A replaced document frees its space.
func TestFullCabinet(t *testing.T) {
	plain, escaped := strings.Repeat("x", documents.MaxContent), strings.Repeat("\x01", 2<<20)
	for name, save := range map[string]func(i int) (tool, args any){
		"documents": func(i int) (any, any) { return "d", object{"content": plain, "fileKey": fmt.Sprint(i)} },
		"both": func(i int) (any, any) {
			return [2]string{"d", "p"}[i%2], object{"content": plain, [2]string{"fileKey", "promptKey"}[i%2]: fmt.Sprint(i)}
		},
		"control characters": func(i int) (any, any) { return "d", object{"content": escaped, "fileKey": fmt.Sprint(i)} },
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			w := open(t, t.TempDir(), state)
			saved := 0
			var err error
			for ; err == nil && saved < 20; saved++ {
				kind, args := save(saved)
				if kind == "d" {
					_, err = call(t, w, documents.SaveToFC, args)
				} else {
					_, err = call(t, w, documents.SavePrompt, args)
				}
			}
			if err == nil || saved > 9 || toolscript.KindOf(err) != toolscript.TooLarge {
				t.Fatalf("%d were saved, and then %v", saved, err)
			}
			if !strings.Contains(err.Error(), full) {
				t.Errorf("the error is %v", err)
			}
			files, err := filepath.Glob(filepath.Join(state, "documents", "*.db"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			if info, err := os.Stat(files[0]); err != nil || info.Size() > 300<<20 {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}

// TestRoomInTheCabinet: a replaced document frees its space for others.
func TestRoomInTheCabinet(t *testing.T) {
	w := workspace(t)
	plain := strings.Repeat("x", documents.MaxContent-1000)
	for i := range 8 {
		must(t, w, documents.SaveToFC, object{"content": plain, "fileKey": fmt.Sprint(i)})
	}
	for range 3 {
		must(t, w, documents.SaveToFC, object{"content": plain, "fileKey": "7"}) // replaces itself
	}
	if _, err := call(t, w, documents.SavePrompt, object{"content": plain, "promptKey": "7"}); err == nil || !strings.Contains(err.Error(), full) {
		t.Errorf("another one: %v", err)
	}
	must(t, w, documents.SaveToFC, object{"content": "", "fileKey": "3"})
	must(t, w, documents.SavePrompt, object{"content": plain, "promptKey": "7"})
	if got := must(t, w, documents.FetchFromFC, object{"fileKey": []string{"0", "3"}})["documents"].([]any); len(got) != 2 || got[0].(object)["content"] != plain {
		t.Error("the documents are not there")
	}
}

// TestLongTitle: a title is bounded, because each announcement contains it.
func TestLongTitle(t *testing.T) {
	w := workspace(t)
	if _, err := call(t, w, documents.SaveToFC, object{"content": "x", "title": strings.Repeat("x", documents.MaxTitle+1)}); toolscript.KindOf(err) != toolscript.TooLarge {
		t.Errorf("a title of 1,001 bytes: %v", err)
	}
	must(t, w, documents.SaveToFC, object{"content": "x", "title": strings.Repeat("x", documents.MaxTitle)})
}

// TestDocumentsOfOneAnswer: one call cannot read too many long documents.
func TestDocumentsOfOneAnswer(t *testing.T) {
	w := workspace(t)
	must(t, w, documents.SaveToFC, object{"content": strings.Repeat("x", documents.MaxContent), "fileKey": "k"})
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = "k"
	}
	if _, err := call(t, w, documents.FetchFromFC, object{"fileKey": keys}); toolscript.KindOf(err) != toolscript.TooLarge || !strings.Contains(err.Error(), "ask for fewer") {
		t.Errorf("100 documents of 8 MB: %v", err)
	}
}

// TestPagesGiveRoom: fetched pages are deleted to make space for documents, the oldest first, and a
// page is not kept if only documents could make space for it.
func TestPagesGiveRoom(t *testing.T) {
	w := workspace(t)
	s, err := documents.Of(w)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	plain := strings.Repeat("x", documents.MaxContent)
	page := func(i int) documents.Document {
		return documents.Document{
			Announcement: documents.Announcement{FileKey: fmt.Sprint("page ", i), URL: "http://a.test", SavedAt: now.Add(time.Duration(i) * time.Minute)}, Content: plain,
		}
	}
	has := func(key string) bool {
		_, err := s.Document(t.Context(), key)
		return err == nil
	}
	for i := range 9 {
		if err := s.Save(page(i)); err != nil {
			t.Fatal(err)
		}
	}
	if has("page 0") || has("page 1") || !has("page 2") || !has("page 8") {
		t.Error("the pages that are kept are not the newest")
	}
	for i := range 7 {
		must(t, w, documents.SaveToFC, object{"content": plain, "fileKey": fmt.Sprint(i)})
	}
	if has("page 8") || !has("6") {
		t.Error("pages are in the way of documents")
	}
	if err := s.Save(page(9)); err != nil || has("page 9") || !has("0") {
		t.Errorf("a page without room: %v", err)
	}
}

// TestManyEntries: the number of documents is limited, too.
func TestManyEntries(t *testing.T) {
	if testing.Short() {
		t.Skip("each of 10,000 documents is written to the disk")
	}
	w := workspace(t)
	for i := range documents.MaxEntries {
		must(t, w, documents.SaveToFC, object{"content": "", "fileKey": fmt.Sprint(i)})
	}
	if _, err := call(t, w, documents.SaveToFC, object{"content": ""}); err == nil || !strings.Contains(err.Error(), full) {
		t.Errorf("one more: %v", err)
	}
}
