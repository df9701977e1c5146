package documents

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/toolscript/toolscript"
)

// errFull is the error for an entry that does not fit into the store.
var errFull = &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf(
	"the file cabinet of this workspace is full: it has up to %d MB of documents and prompts, and %d of them; replace some that are no longer needed with an empty text, under their keys", MaxBytes>>20, MaxEntries)}

// usage is the space that the entries of a store take: the bytes of keys and texts, and their number.
type usage struct{ bytes, entries int64 }

func (u usage) fits() bool { return u.bytes <= MaxBytes && u.entries <= MaxEntries }

// book is a transaction that changes the store.
type book struct {
	tx   *bbolt.Tx
	used usage
}

// usageKey is the key of the usage in its bucket.
var usageKey = []byte("used")

// change runs write in a transaction. If write fails, nothing changes.
func (s Store) change(write func(*book) error) error {
	return s.open(func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error {
			b := &book{tx: tx}
			notes, err := tx.CreateBucketIfNotExists(usageBucket)
			if err != nil {
				return err
			}
			if text := notes.Get(usageKey); len(text) == 16 {
				b.used = usage{int64(binary.BigEndian.Uint64(text)), int64(binary.BigEndian.Uint64(text[8:]))}
			} else if err := b.count(); err != nil {
				return err
			}
			if err := write(b); err != nil {
				return err
			}
			return notes.Put(usageKey, binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(b.used.bytes)), uint64(b.used.entries)))
		})
	})
}

// count counts the entries of a store in which no usage is recorded.
func (b *book) count() error {
	for _, bucket := range [][]byte{documentBucket, promptBucket} {
		in := b.tx.Bucket(bucket)
		if in == nil {
			continue
		}
		if err := in.ForEach(func(key, _ []byte) error {
			b.used.bytes += b.size(bucket, string(key))
			b.used.entries++
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// get returns the text of a key, or nil if there is no such key.
func (b *book) get(bucket []byte, key string) []byte {
	if in := b.tx.Bucket(bucket); in != nil {
		return in.Get([]byte(key))
	}
	return nil
}

// size returns the bytes of an entry, or 0 if there is none. The announcement of a document counts too.
func (b *book) size(bucket []byte, key string) (bytes int64) {
	text := b.get(bucket, key)
	if text == nil {
		return 0
	}
	bytes = int64(len(key) + len(text))
	if string(bucket) == string(documentBucket) {
		bytes += int64(len(key) + len(b.get(boardBucket, key)))
	}
	return bytes
}

// makeRoom counts a new entry, which replaces the entry of the same key. If there is no room, it
// deletes fetched pages, the oldest first. If that is not enough, the error is errFull.
func (b *book) makeRoom(bucket []byte, key string, bytes int) error {
	with := func() usage {
		if before := b.size(bucket, key); before > 0 {
			return usage{b.used.bytes - before + int64(len(key)+bytes), b.used.entries}
		}
		return usage{b.used.bytes + int64(len(key)+bytes), b.used.entries + 1}
	}
	if !with().fits() {
		if err := b.deletePages(time.Time{}, func() bool { return with().fits() }); err != nil {
			return err
		}
	}
	if !with().fits() {
		return errFull
	}
	b.used = with()
	return nil
}

func (b *book) put(bucket []byte, key string, text []byte) error {
	in, err := b.tx.CreateBucketIfNotExists(bucket)
	if err != nil {
		return err
	}
	return in.Put([]byte(key), text)
}

// delete deletes a document.
func (b *book) delete(key string) error {
	bytes := b.size(documentBucket, key)
	if bytes == 0 {
		return nil
	}
	b.used.bytes -= bytes
	b.used.entries--
	return errors.Join(b.tx.Bucket(boardBucket).Delete([]byte(key)), b.tx.Bucket(documentBucket).Delete([]byte(key)))
}

// deletePages deletes fetched pages, the oldest first: if enough is nil, the pages saved
// before a time, else pages of any age until enough returns true.
func (b *book) deletePages(before time.Time, enough func() bool) error {
	type page struct {
		key string
		at  time.Time
	}
	var pages []page
	err := each(b.tx, func(key []byte, a Announcement) {
		if a.URL != "" && (enough != nil || a.SavedAt.Before(before)) {
			pages = append(pages, page{string(key), a.SavedAt})
		}
	})
	slices.SortFunc(pages, func(x, y page) int { return x.at.Compare(y.at) })
	for _, p := range pages {
		if err != nil || enough != nil && enough() {
			break
		}
		err = b.delete(p.key)
	}
	return err
}
