// Package documents keeps the documents and prompts of a workspace in a file of the data
// folder, and has the built-in tools for them. Several gateways may use the same file.
package documents

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/sharedfile/database"
	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// Limits of a store.
const (
	MaxContent = 8 << 20 // bytes of one document
	MaxKey     = 200     // bytes of a key

	maxBoard = 100                // announcements in one answer
	keptFor  = 7 * 24 * time.Hour // how long a page that was fetched is kept
	lockTime = 30 * time.Second   // wait for another gateway that uses the file
)

// bytesPerToken estimates the length of a token.
const bytesPerToken = 4

// Tokens estimates the number of tokens of a text.
func Tokens(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }

// Announcement describes a document on the board: the list of documents that the store
// has.
type Announcement struct {
	FileKey string    `json:"fileKey"`
	Title   string    `json:"title"`
	URL     string    `json:"url,omitempty"` // of a page that was fetched
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
)

// Store is the file of one workspace.
type Store struct{ path string }

// Of returns the store of a workspace. Two workspaces with the same root share one.
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

// inUse has a lock for each path: waiting for the lock of the file itself takes longer.
var inUse sync.Map

// open opens the file for one transaction. It is not kept open, because its lock keeps
// other gateways out.
func (s Store) open(use func(*bbolt.DB) error) error {
	lock, _ := inUse.LoadOrStore(s.path, &sync.Mutex{})
	mutex, _ := lock.(*sync.Mutex)
	mutex.Lock()
	defer mutex.Unlock()
	opened := false
	err := database.Use(s.path, bbolt.Options{Timeout: lockTime}, func(db *bbolt.DB) error {
		opened = true
		return use(db)
	})
	var damaged *database.Damaged
	switch {
	case errors.As(err, &damaged):
		return fmt.Errorf("the file of the documents %w", err)
	case err != nil && !opened:
		return fmt.Errorf("the file of the documents cannot be opened: %w", err)
	}
	return err
}

// Save writes a document and announces it. It is on the disk when Save returns. Pages that
// were fetched a week ago are deleted.
func (s Store) Save(d Document) error {
	if err := check(d.FileKey, d.Content); err != nil {
		return err
	}
	return s.open(func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error {
			if err := put(tx, documentBucket, d.FileKey, d); err != nil {
				return err
			}
			if err := put(tx, boardBucket, d.FileKey, d.Announcement); err != nil {
				return err
			}
			return deleteOld(tx, d.SavedAt.Add(-keptFor))
		})
	})
}

// SavePrompt writes a prompt.
func (s Store) SavePrompt(key, content string) error {
	if err := check(key, content); err != nil {
		return err
	}
	return s.open(func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error { return put(tx, promptBucket, key, content) })
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

func put(tx *bbolt.Tx, bucket []byte, key string, value any) error {
	b, err := tx.CreateBucketIfNotExists(bucket)
	if err != nil {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return b.Put([]byte(key), text)
}

// deleteOld deletes the pages that were fetched before a time.
func deleteOld(tx *bbolt.Tx, before time.Time) error {
	var old [][]byte
	err := each(tx, func(key []byte, a Announcement) {
		if a.URL != "" && a.SavedAt.Before(before) {
			old = append(old, slices.Clone(key))
		}
	})
	for _, key := range old {
		err = errors.Join(err, tx.Bucket(boardBucket).Delete(key), tx.Bucket(documentBucket).Delete(key))
	}
	return err
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

// Document reads a document. The error is NotFound if there is none with that key.
func (s Store) Document(key string) (d Document, err error) {
	return d, s.read(documentBucket, key, "document", &d)
}

// Prompt reads a prompt. The error is NotFound if there is none with that key.
func (s Store) Prompt(key string) (content string, err error) {
	return content, s.read(promptBucket, key, "prompt", &content)
}

func (s Store) read(bucket []byte, key, what string, into any) error {
	found := false
	err := s.open(func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucket)
			if b == nil {
				return nil
			}
			text := b.Get([]byte(key))
			if found = text != nil; !found {
				return nil
			}
			return json.Unmarshal(text, into)
		})
	})
	if err == nil && !found {
		err = &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("there is no %s %q", what, key)}
	}
	return err
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
