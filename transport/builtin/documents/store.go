// Package documents stores the documents and prompts of a workspace in a file of the data
// folder, and provides the built-in tools for them. Several gateways may use the same file.
package documents

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// Limits of a store.
const (
	MaxContent = 8 << 20  // bytes of one document
	MaxKey     = 200      // bytes of a key
	MaxTitle   = 1000     // bytes of a title
	MaxBytes   = 64 << 20 // bytes of all entries in their stored form, which is JSON
	MaxEntries = 10_000

	maxRead  = 48 << 20           // stored bytes of the documents of one answer
	maxBoard = 100                // maximum of announcements in one answer
	keptFor  = 7 * 24 * time.Hour // how long a fetched page is kept
	lockTime = 30 * time.Second   // time limit of the wait for another gateway that uses the file
)

// bytesPerToken is an estimate of the length of a token.
const bytesPerToken = 4

// Tokens estimates the number of tokens of a text.
func Tokens(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }

// Announcement describes a document on the board, which is the list of all documents of a
// store.
type Announcement struct {
	FileKey string    `json:"fileKey"`
	Title   string    `json:"title"`
	URL     string    `json:"url,omitempty"` // for a fetched page: its address
	Tokens  int       `json:"tokens"`        // estimated
	SavedAt time.Time `json:"savedAt"`
}

// Document is an entry of the store.
type Document struct {
	Announcement
	Content string `json:"content"`
}

// The buckets of the file: documents by key, prompts by key, and announcements of the
// documents.
var (
	documentBucket = []byte("documents")
	promptBucket   = []byte("prompts")
	boardBucket    = []byte("board")
	usageBucket    = []byte("usage") // see usage
)

// Store is the file of one workspace.
type Store struct{ path string }

// Of returns the store of a workspace. Workspaces with the same root share a store.
func Of(w *tool.Workspace) (Store, error) {
	if w.StateDir == "" {
		return Store{}, errors.New("there is no data folder for documents")
	}
	folder := filepath.Join(w.StateDir, "documents")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return Store{}, fmt.Errorf("the folder of documents cannot be created: %w", err)
	}
	sum := sha256.Sum256([]byte(w.Real()))
	return Store{filepath.Join(folder, hex.EncodeToString(sum[:12])+".db")}, nil
}

// inUse maps each path to a *sync.Mutex: waiting for a mutex is faster than waiting for the lock of the file.
var inUse sync.Map

// open opens the file for one transaction. The file is not kept open, because its lock
// excludes other gateways.
func (s Store) open(use func(*bbolt.DB) error) error {
	lock, _ := inUse.LoadOrStore(s.path, &sync.Mutex{})
	mutex, _ := lock.(*sync.Mutex)
	mutex.Lock()
	defer mutex.Unlock()
	opened := false
	err := files.UseDatabase(s.path, bbolt.Options{Timeout: lockTime}, func(db *bbolt.DB) error {
		opened = true
		return use(db)
	})
	var damaged *files.DamagedDatabase
	switch {
	case errors.As(err, &damaged):
		return fmt.Errorf("the file of the documents %w", err)
	case err != nil && !opened:
		return fmt.Errorf("the file of the documents cannot be opened: %w", err)
	}
	return err
}

// Save writes a document to disk and announces it. Saving a fetched page deletes the pages
// fetched a week or more before. If the store is full, it deletes further pages, the oldest
// first. A fetched page that does not fit even then is not stored; that is no error.
func (s Store) Save(d Document) error {
	if err := check(d.FileKey, d.Content); err != nil {
		return err
	}
	if len(d.Title) > MaxTitle {
		d.Title = strings.ToValidUTF8(d.Title[:MaxTitle], "")
	}
	return s.change(func(b *book) error {
		if d.URL != "" {
			if err := b.deletePages(d.SavedAt.Add(-keptFor), nil); err != nil {
				return err
			}
		}
		text, err := json.Marshal(d)
		if err != nil {
			return err
		}
		note, err := json.Marshal(d.Announcement)
		if err != nil {
			return err
		}
		if err := b.makeRoom(documentBucket, d.FileKey, len(text)+len(note)+len(d.FileKey)); err != nil {
			if d.URL != "" && errors.Is(err, errFull) {
				return b.delete(d.FileKey)
			}
			return err
		}
		return errors.Join(b.put(documentBucket, d.FileKey, text), b.put(boardBucket, d.FileKey, note))
	})
}

// SavePrompt writes a prompt.
func (s Store) SavePrompt(key, content string) error {
	if err := check(key, content); err != nil {
		return err
	}
	return s.change(func(b *book) error {
		text, err := json.Marshal(content)
		if err == nil {
			err = b.makeRoom(promptBucket, key, len(text))
		}
		if err != nil {
			return err
		}
		return b.put(promptBucket, key, text)
	})
}

func check(key, content string) error {
	switch {
	case key == "" || len(key) > MaxKey:
		return fmt.Errorf("a key has between 1 and %d bytes", MaxKey)
	case len(content) > MaxContent:
		return &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the content has %d bytes; at most %d are kept", len(content), MaxContent)}
	}
	return nil
}

// each calls use for each announcement.
func each(tx *bbolt.Tx, use func(key []byte, a Announcement)) error {
	b := tx.Bucket(boardBucket)
	if b == nil {
		return nil
	}
	return b.ForEach(func(key, text []byte) error {
		var a Announcement
		if err := json.Unmarshal(text, &a); err != nil {
			return err
		}
		use(key, a)
		return nil
	})
}

// Documents returns the documents of some keys. Their memory is taken from the budget of the call
// to which ctx belongs. The error is NotFound if one of the documents does not exist.
func (s Store) Documents(ctx context.Context, keys ...string) (all []Document, err error) {
	err = s.read(ctx, documentBucket, "document", keys, func(text []byte) error {
		var d Document
		err := json.Unmarshal(text, &d)
		all = append(all, d)
		return err
	})
	return all, err
}

// Document returns a document, as Documents does.
func (s Store) Document(ctx context.Context, key string) (Document, error) {
	all, err := s.Documents(ctx, key)
	if err != nil {
		return Document{}, err
	}
	return all[0], nil
}

// Prompt returns a prompt. Its errors are those of Documents.
func (s Store) Prompt(ctx context.Context, key string) (content string, err error) {
	err = s.read(ctx, promptBucket, "prompt", []string{key}, func(text []byte) error { return json.Unmarshal(text, &content) })
	return content, err
}

// read calls use for the text of each key. If the texts are large together, read takes
// memory for them and then reads them in a second transaction: while it waits for memory,
// the file is closed.
func (s Store) read(ctx context.Context, bucket []byte, what string, keys []string, use func(text []byte) error) error {
	size, taken := 0, false
	visit := func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucket)
		texts := make([][]byte, len(keys))
		size = 0
		for i, key := range keys {
			if b != nil {
				texts[i] = b.Get([]byte(key))
			}
			if texts[i] == nil {
				return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("there is no %s %q", what, key)}
			}
			size += len(texts[i])
		}
		switch {
		case size > maxRead:
			return &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the %d documents have %d MB together; at most %d MB are read at once, so ask for fewer", len(keys), size>>20, maxRead>>20)}
		case size > budget.Free && !taken:
			return nil
		}
		taken = true
		for _, text := range texts {
			if err := use(text); err != nil {
				return err
			}
		}
		return nil
	}
	look := func() error { return s.open(func(db *bbolt.DB) error { return db.View(visit) }) }
	if err := look(); err != nil || taken {
		return err
	}
	if err := budget.Take(ctx, size); err != nil {
		return err
	}
	taken = true
	return look()
}

// Board returns the announcements, the newest first.
func (s Store) Board() (board []Announcement, err error) {
	board = []Announcement{}
	err = s.open(func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) error {
			return each(tx, func(_ []byte, a Announcement) { board = append(board, a) })
		})
	})
	slices.SortFunc(board, func(a, b Announcement) int {
		return cmp.Or(b.SavedAt.Compare(a.SavedAt), cmp.Compare(a.FileKey, b.FileKey))
	})
	return board[:min(len(board), maxBoard)], err
}
