package demo

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
)

// maxLargest is the length of the list of the largest files.
const maxLargest = 10

var statsTool = announcement{
	name:        "file_stats",
	title:       "File statistics",
	description: "Counts files and bytes below a folder, by extension, and names the largest files.",
	input: `{"type":"object","additionalProperties":false,"properties":{
		"dir":{"type":"string","default":".","description":"Folder to start from."},
		"glob":{"type":"string","description":"Which files: \"*.go\" at any depth, or a path such as \"src/**/*.ts\"."}}}`,
	output: `{"type":"object","additionalProperties":false,"required":["files","bytes","byExtension","largest","truncated"],"properties":{
		"files":{"type":"integer"},
		"bytes":{"type":"integer"},
		"byExtension":{"type":"array","description":"The most bytes first.","items":{"type":"object","additionalProperties":false,"required":["extension","files","bytes"],"properties":{
			"extension":{"type":"string","description":"With its dot, such as \".go\"; empty for files without one."},
			"files":{"type":"integer"},
			"bytes":{"type":"integer"}}}},
		"largest":{"type":"array","description":"Up to ten files, the largest first.","items":{"type":"object","additionalProperties":false,"required":["path","bytes"],"properties":{
			"path":{"type":"string"},
			"bytes":{"type":"integer"}}}},
		"truncated":{"type":"boolean","description":"There are more files than were counted."}}}`,
}

type statsArgs struct {
	Dir  string `json:"dir"`
	Glob string `json:"glob"`
}

type statsResult struct {
	Files       int              `json:"files"`
	Bytes       int64            `json:"bytes"`
	ByExtension []extensionStats `json:"byExtension"`
	Largest     []sizedFile      `json:"largest"`
	Truncated   bool             `json:"truncated"`
}

type extensionStats struct {
	Extension string `json:"extension"`
	Files     int    `json:"files"`
	Bytes     int64  `json:"bytes"`
}

type sizedFile struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

func (f *files) stats(ctx context.Context, args statsArgs) (statsResult, error) {
	result := statsResult{ByExtension: []extensionStats{}, Largest: []sizedFile{}}
	byExtension := make(map[string]*extensionStats)
	cut, err := f.walkFiles(ctx, args.Dir, args.Glob, func(name string, info fs.FileInfo) error {
		result.Files++
		result.Bytes += info.Size()
		result.note(sizedFile{name, info.Size()})
		extension := extensionOf(name)
		e := byExtension[extension]
		if e == nil {
			e = &extensionStats{Extension: extension}
			byExtension[extension] = e
		}
		e.Files++
		e.Bytes += info.Size()
		return nil
	})
	result.Truncated = cut
	for _, e := range byExtension {
		result.ByExtension = append(result.ByExtension, *e)
	}
	slices.SortFunc(result.ByExtension, func(a, b extensionStats) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Extension, b.Extension))
	})
	return result, err
}

// extensionOf returns the extension of a file name, or "" for a name such as .gitignore.
func extensionOf(name string) string {
	base := path.Base(name)
	extension := path.Ext(base)
	if extension == base {
		return ""
	}
	return extension
}

// note keeps the largest files, the largest first.
func (r *statsResult) note(file sizedFile) {
	at, _ := slices.BinarySearchFunc(r.Largest, file, func(a, b sizedFile) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path))
	})
	if at < maxLargest {
		r.Largest = slices.Insert(r.Largest, at, file)
		r.Largest = r.Largest[:min(len(r.Largest), maxLargest)]
	}
}
