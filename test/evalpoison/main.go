// The program evalpoison measures package pin: the share of the project's poisoned texts that it
// finds, and the share of real servers' tools that it reports.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/pin"
	"github.com/toolscript/toolscript/test/fixture/poisoned"
)

const (
	leastRecall = 0.90
	mostFalse   = 0.02
)

func main() {
	corpus := flag.String("corpus", "actors/pin/testdata/poisoned.json", "`file` of poisoned texts")
	data := flag.String("data", "", "`folder` of tool lists of real servers, in files NAME.json; without it the rate of false positives is not measured")
	flag.Parse()
	ok, err := evaluate(*corpus, *data)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if !ok {
		os.Exit(1)
	}
}

func evaluate(corpus, data string) (bool, error) {
	good, err := recall(corpus)
	if err != nil {
		return false, err
	}
	real, err := falsePositives(data)
	return good && real, err
}

// recall prints the share of texts that are found, for each half and each shape.
func recall(path string) (bool, error) {
	var samples []poisoned.Sample
	if err := read(path, &samples); err != nil {
		return false, err
	}
	type count struct{ found, of int }
	halves, shapes := map[string]*count{}, map[string]*count{}
	var names []string
	ok := true
	for _, s := range samples {
		for _, in := range []struct {
			m    map[string]*count
			name string
		}{{halves, s.Half}, {shapes, s.Shape}} {
			if in.m[in.name] == nil {
				in.m[in.name] = &count{}
			}
			in.m[in.name].of++
		}
		if !slices.Contains(names, s.Shape) {
			names = append(names, s.Shape)
		}
		if len(pin.Suspicions(s.Tool())) > 0 {
			halves[s.Half].found++
			shapes[s.Shape].found++
		} else {
			fmt.Printf("missed (%s, %s): %q\n", s.Half, s.Shape, s.Text)
		}
	}
	for _, name := range names {
		fmt.Printf("%-16s %3d of %3d\n", name, shapes[name].found, shapes[name].of)
	}
	for _, half := range []string{"tuned", "held out"} {
		c := halves[half]
		if c == nil {
			return false, fmt.Errorf("%s has no texts %q", path, half)
		}
		part := float64(c.found) / float64(c.of)
		fmt.Printf("recall, %s: %.1f %% (%d of %d; target at least %.0f %%)\n", half, part*100, c.found, c.of, leastRecall*100)
		ok = ok && part >= leastRecall
	}
	return ok, nil
}

// falsePositives prints the share of real servers' tools with a finding.
func falsePositives(folder string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return false, err
	}
	if folder == "" || len(files) == 0 {
		fmt.Printf("false positives: not measured, because there are no tool lists in %q; name a folder with DATA=FOLDER\n", folder)
		return true, nil
	}
	tools, reported, size := 0, 0, 0
	var took time.Duration
	for _, file := range files {
		var list struct {
			Tools []struct {
				Name         string          `json:"name"`
				Title        string          `json:"title"`
				Description  string          `json:"description"`
				InputSchema  json.RawMessage `json:"inputSchema"`
				OutputSchema json.RawMessage `json:"outputSchema"`
			} `json:"tools"`
		}
		if err := read(file, &list); err != nil {
			return false, err
		}
		for _, t := range list.Tools {
			tools++
			size += len(t.Description) + len(t.InputSchema) + len(t.OutputSchema)
			start := time.Now()
			found := pin.Suspicions(toolscript.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema})
			took += time.Since(start)
			if len(found) > 0 {
				reported++
				fmt.Printf("reported: %s %s, %s, %s: %s\n", filepath.Base(file), t.Name, found[0].Where, found[0].Shape, found[0].Text)
			}
		}
	}
	if tools == 0 {
		return false, fmt.Errorf("the files in %s have no tools", folder)
	}
	part := float64(reported) / float64(tools)
	fmt.Printf("false positives: %.2f %% (%d of %d tools; target at most %.0f %%), %s for %d KB\n", part*100, reported, tools, mostFalse*100, took.Round(time.Millisecond), size>>10)
	return part <= mostFalse, nil
}

func read(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
