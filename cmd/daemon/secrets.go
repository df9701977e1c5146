package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/internal/redact"
	"github.com/toolscript/toolscript/transport/upstream"
)

// mostEarlier is the number of replaced values that are remembered.
const mostEarlier = 100

// knownSecrets are the values of ${secret:NAME} that servers of this gateway have or had.
// After a value is replaced, a server may still print the old one. The zero value is empty.
type knownSecrets struct {
	mu      sync.Mutex
	current map[string]string // values by reference
	earlier []earlierSecret   // replaced values, the oldest first
}

type earlierSecret struct{ reference, value string }

// add adds the secrets of servers.
func (k *knownSecrets) add(servers map[string]upstream.Config) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range servers {
		for reference, value := range c.Secrets {
			if !strings.HasPrefix(reference, "${secret:") {
				continue
			}
			if k.current == nil {
				k.current = map[string]string{}
			}
			if before, had := k.current[reference]; had && before != value {
				k.earlier = append(k.earlier, earlierSecret{reference, before})
			}
			k.current[reference] = value
		}
	}
	k.earlier = slices.Delete(k.earlier, 0, max(0, len(k.earlier)-mostEarlier))
}

// with returns others and the values of k, by the text that replaces each of them.
func (k *knownSecrets) with(others map[string]string) map[string]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := maps.Clone(others)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, k.current)
	for i, e := range k.earlier {
		all[fmt.Sprintf("(value %d of %s)", i+1, e.reference)] = e.value
	}
	return all
}

// clean replaces the values in a recording. If that is not possible, it returns an error,
// and the recording must not be kept.
func (k *knownSecrets) clean(r kept.Recording) (kept.Recording, error) {
	replacer := redact.New(k.with(nil))
	if replacer == nil {
		return r, nil
	}
	stdin := []byte(replacer.Replace(string(r.Stdin)))
	r.Stdin = nil // its base64 form would hide a value
	text, err := json.Marshal(r)
	if err != nil {
		return r, err
	}
	if replaced := []byte(replacer.Replace(string(text))); !bytes.Equal(replaced, text) {
		r = kept.Recording{}
		if json.Unmarshal(replaced, &r) != nil {
			return r, errors.New("a secret of a server is a part of the recording, which cannot be removed")
		}
	}
	if len(stdin) > 0 {
		r.Stdin = stdin
	}
	return r, nil
}
