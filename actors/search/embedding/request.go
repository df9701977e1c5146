package embedding

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/texts"
)

const (
	// maxAnswer is enough for a batch of vectors of 8,192 values, about 20 bytes per
	// value.
	maxAnswer = 8 << 20
	// maxRefusal bounds the part of an error answer that is read.
	maxRefusal = 4 << 10
	// maxSaid bounds the part of an error answer that is shown.
	maxSaid = 200
	// maxWait is the longest delay that an endpoint can request.
	maxWait = 5 * time.Minute
)

type question struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

type answer struct {
	Data []struct {
		Index     *int      `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
}

func (e *Engine) request(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	response, err := e.post(ctx, question{e.options.Model, texts})
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // the body was read as far as needed
	if response.StatusCode != http.StatusOK {
		return nil, e.refused(response)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, e.unavailable(fmt.Errorf("its answer ended early: %w", err))
	case len(body) > maxAnswer:
		return nil, e.unavailable(fmt.Errorf("its answer has more than %d MB", maxAnswer>>20))
	}
	var a answer
	if err := json.Unmarshal(rawjson.TrimMark(body), &a); err != nil {
		return nil, e.unavailable(fmt.Errorf("its answer is not the JSON of an embeddings endpoint: %w", err))
	}
	vectors, err := a.vectors(len(texts))
	if err != nil {
		return nil, e.unavailable(err)
	}
	return vectors, nil
}

func (e *Engine) post(ctx context.Context, q question) (*http.Response, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if e.options.Key != "" {
		request.Header.Set("Authorization", "Bearer "+e.options.Key)
	}
	response, err := e.options.Client.Do(request) //nolint:gosec // the user's own configuration
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err // leaves out the URL
	}
	if err != nil {
		return nil, e.unavailable(err)
	}
	return response, nil
}

// refused returns the error of an answer, with the delay before the next attempt.
func (e *Engine) refused(r *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxRefusal)) // the part that arrived is enough
	text := fmt.Errorf("it answered %s", r.Status)
	if said := e.said(body); said != "" {
		text = fmt.Errorf("it answered %s: %s", r.Status, said)
	}
	refusal := e.unavailable(text)
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err == nil && seconds > 0 {
		refusal.RetryAfter = min(time.Duration(min(seconds, int(maxWait/time.Second)))*time.Second, maxWait)
	}
	return refusal
}

// said returns the message of an error answer in one line. It removes the key, which
// some servers repeat.
func (e *Engine) said(body []byte) string {
	var parsed struct{ Error json.RawMessage }
	var message struct{ Message string }
	text := string(body)
	if json.Unmarshal(body, &parsed) == nil && parsed.Error != nil {
		text = string(parsed.Error)
		if json.Unmarshal(parsed.Error, &message) == nil && message.Message != "" {
			text = message.Message
		}
	}
	if e.options.Key != "" {
		text = strings.ReplaceAll(text, e.options.Key, "[key]")
	}
	text = strings.Join(strings.Fields(strings.Map(printable, text)), " ")
	return texts.Short(text, maxSaid)
}

func printable(r rune) rune {
	if strconv.IsPrint(r) && !toolscript.Hidden(r) {
		return r
	}
	return ' '
}

// vectors returns the vectors of n texts in the order of the texts. An answer without
// indexes must have that order.
func (a answer) vectors(n int) ([][]float32, error) {
	if len(a.Data) != n {
		return nil, fmt.Errorf("it returned %d vectors for %d texts", len(a.Data), n)
	}
	vectors := make([][]float32, n)
	for i, d := range a.Data {
		if d.Index != nil {
			i = *d.Index
		}
		if i < 0 || i >= n || vectors[i] != nil {
			return nil, fmt.Errorf("it did not return one vector for each of %d texts", n)
		}
		if len(d.Embedding) == 0 {
			return nil, errors.New("it returned a vector without values")
		}
		vectors[i] = d.Embedding
	}
	return vectors, nil
}
