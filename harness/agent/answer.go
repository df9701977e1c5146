package agent

import (
	"encoding/json"
	"errors"
)

// Answer is the answer of a model.
type Answer struct {
	Items []json.RawMessage // items to append to the history, in the form of the API
	Cut   bool              // the model reached its limit of tokens
	Usage Usage
}

// Usage counts the tokens of one request as the endpoint reports them. Both are 0 if it reports none.
type Usage struct{ Input, Output int64 }

// parse reads the body of an answer.
func (c *Client) parse(body []byte) (Answer, error) {
	switch c.options.API {
	case Responses:
		return parseResponses(body)
	case Chat:
		return parseChat(body)
	default:
		return parseMessages(body)
	}
}

func parseResponses(body []byte) (Answer, error) {
	var b struct {
		Output     []json.RawMessage `json:"output"`
		Incomplete struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Usage struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return Answer{}, err
	}
	if len(b.Output) == 0 {
		return Answer{}, errors.New("it has no output")
	}
	return Answer{Items: b.Output, Cut: b.Incomplete.Reason == "max_output_tokens", Usage: Usage(b.Usage)}, nil
}

func parseChat(body []byte) (Answer, error) {
	var b struct {
		Choices []struct {
			Message json.RawMessage `json:"message"`
			Reason  string          `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			Input  int64 `json:"prompt_tokens"`
			Output int64 `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return Answer{}, err
	}
	if len(b.Choices) == 0 || len(b.Choices[0].Message) == 0 {
		return Answer{}, errors.New("it has no choices")
	}
	return Answer{Items: []json.RawMessage{b.Choices[0].Message}, Cut: b.Choices[0].Reason == "length", Usage: Usage(b.Usage)}, nil
}

func parseMessages(body []byte) (Answer, error) {
	var b struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Reason  string          `json:"stop_reason"`
		Usage   struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return Answer{}, err
	}
	if b.Role != "assistant" || len(b.Content) == 0 {
		return Answer{}, errors.New("it is not a message of an assistant")
	}
	item, err := json.Marshal(map[string]any{"role": b.Role, "content": b.Content})
	return Answer{Items: []json.RawMessage{item}, Cut: b.Reason == "max_tokens", Usage: Usage(b.Usage)}, err
}
