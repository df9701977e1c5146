package openapi

import (
	"slices"
	"strings"
)

// bestMedia chooses the media type of a body or an answer: JSON before forms, then text,
// then bytes.
func bestMedia(content []byte) (media string, chosen []byte) {
	best := len(ranks)
	for name, value := range members(content) {
		rank := slices.IndexFunc(ranks, func(fits func(string) bool) bool { return fits(name) })
		if rank < best {
			best, media, chosen = rank, name, value
		}
	}
	return media, chosen
}

var ranks = []func(string) bool{
	isJSON, form, isMultipart,
	func(media string) bool { return strings.HasPrefix(media, "text/") },
	func(string) bool { return true },
}

func isJSON(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	return media == "application/json" || media == "text/json" || media == "*/*" || strings.HasSuffix(media, "+json")
}

func form(media string) bool { return strings.HasPrefix(media, "application/x-www-form-urlencoded") }

func isMultipart(media string) bool { return strings.HasPrefix(media, "multipart/form-data") }

// structured reports whether a body of a media type has named members.
func structured(media string) bool { return isJSON(media) || form(media) || isMultipart(media) }
