package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// localeLanguages lists the languages whose locales are included, with all their regions.
var localeLanguages = []string{"de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sv", "zh"}

// table maps names to the texts of one section of one locale. A name is a path, such as
// months:format:wide:1.
type table map[string]string

// put stores a text, unless it is empty.
func (t table) put(value string, path ...string) {
	if value != "" {
		t[strings.Join(path, ":")] = value
	}
}

// sections maps names of sections to the functions that create them for a locale.
var sections = map[string]func(s *localeSource, locale string) (table, error){
	"numbers": (*localeSource).numbers, "currencies": (*localeSource).currencies, "units": (*localeSource).units,
	"calendar": (*localeSource).calendar, "zones": (*localeSource).zones, "words": (*localeSource).words,
}

// localeSource is the content of the packages.
type localeSource struct {
	localeFiles
	parents map[string]string // parents of locales that are not named after their parent
	likely  object            // likely subtags
	hours   object            // hour cycles of regions
}

func makeLocales(ctx context.Context, from string) ([]byte, error) {
	s := &localeSource{localeFiles: localeFiles{}}
	for _, name := range localePackages {
		if err := s.fetch(ctx, name, from, wanted); err != nil {
			return nil, err
		}
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	return s.archive()
}

func wanted(path string) bool {
	locale, in := strings.CutPrefix(path, "main/")
	language, _, _ := strings.Cut(locale, "-")
	language, _, _ = strings.Cut(language, "/")
	return !in && strings.HasSuffix(path, ".json") || in && slices.Contains(localeLanguages, language)
}

func (s *localeSource) prepare() error {
	parents, err := s.read("supplemental/parentLocales.json", "supplemental", "parentLocales", "parentLocale")
	if err != nil {
		return err
	}
	s.parents = map[string]string{}
	for locale := range parents {
		s.parents[locale] = parents.text(locale)
	}
	if s.likely, err = s.read("supplemental/likelySubtags.json", "supplemental", "likelySubtags"); err != nil {
		return err
	}
	s.hours, err = s.read("supplemental/timeData.json", "supplemental", "timeData")
	return err
}

// parent returns the locale from which a locale inherits, or "" for a language.
func (s *localeSource) parent(locale string) string {
	if parent := s.parents[locale]; parent != "" {
		return strings.TrimSuffix(parent, "und") // the root, whose data all locales repeat
	}
	if cut := strings.LastIndexByte(locale, '-'); cut >= 0 {
		return locale[:cut]
	}
	return ""
}

// archive returns all tables as a ZIP archive.
func (s *localeSource) archive() ([]byte, error) {
	entries := map[string]string{}
	all, err := s.locales()
	if err != nil {
		return nil, err
	}
	for section, of := range sections {
		for _, language := range localeLanguages {
			text, err := s.section(of, all[language])
			if err != nil {
				return nil, fmt.Errorf("%s of %s: %w", section, language, err)
			}
			entries[language+"/"+section] = text
		}
	}
	if entries["locales"], err = s.names(all); err != nil {
		return nil, err
	}
	for name, of := range supplements {
		t, err := of(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		entries[name] = t.lines(nil)
	}
	return packLocales(entries)
}

func packLocales(entries map[string]string) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestCompression) })
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		entry, err := w.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write([]byte(entries[name])); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// locales returns the locales of each language, parents first.
func (s *localeSource) locales() (map[string][]string, error) {
	o, err := s.read("availableLocales.json", "availableLocales")
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for _, l := range o["full"].([]any) {
		locale := l.(string)
		language, rest, _ := strings.Cut(locale, "-")
		if slices.Contains(localeLanguages, language) && !strings.HasPrefix(rest, "POSIX") && rest != "Shaw" && rest != "Dsrt" && rest != "Latn" && rest != "x-polyton" {
			all[language] = append(all[language], locale)
		}
	}
	for _, of := range all {
		slices.SortFunc(of, func(a, b string) int {
			if d := s.depth(a) - s.depth(b); d != 0 {
				return d
			}
			return strings.Compare(a, b)
		})
	}
	return all, nil
}

func (s *localeSource) depth(locale string) (n int) {
	for ; locale != ""; n++ {
		locale = s.parent(locale)
	}
	return n
}

// section returns one section of all locales of a language. Each locale only has the
// differences to its parent.
func (s *localeSource) section(of func(*localeSource, string) (table, error), locales []string) (string, error) {
	var b strings.Builder
	made := map[string]table{}
	for _, locale := range locales {
		t, err := of(s, locale)
		if err != nil {
			return "", fmt.Errorf("%s: %w", locale, err)
		}
		made[locale] = t
		if own := t.lines(made[s.parent(locale)]); own != "" {
			fmt.Fprintf(&b, "=%s\n%s", locale, own)
		}
	}
	return b.String(), nil
}

// lines returns the differences to the parent. A line without a tab removes a text.
func (t table) lines(parent table) string {
	var b strings.Builder
	names := slices.Collect(maps.Keys(t))
	for name := range parent {
		if _, kept := t[name]; !kept {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		switch value, has := t[name]; {
		case !has:
			fmt.Fprintf(&b, "%s\n", name)
		case parent[name] != value:
			fmt.Fprintf(&b, "%s\t%s\n", name, value)
		}
	}
	return b.String()
}

// names lists all names of locales with the locale of their data and its parent. Names are locales
// with their own data, default regions such as de-DE, and short forms such as zh-TW for zh-Hant-TW.
func (s *localeSource) names(all map[string][]string) (string, error) {
	known := table{}
	for _, of := range all {
		for _, locale := range of {
			known[locale] = locale + " " + s.parent(locale)
		}
	}
	raw := []string{}
	defaults, err := s.read("defaultContent.json")
	if err != nil {
		return "", err
	}
	for _, l := range defaults["defaultContent"].([]any) {
		locale := l.(string)
		if language, _, _ := strings.Cut(locale, "-"); slices.Contains(localeLanguages, language) {
			raw = append(raw, locale)
		}
	}
	for _, locale := range raw {
		for parent := locale; parent != ""; parent = s.parent(parent) {
			if data, has := known[parent]; has && parent != locale && !strings.Contains(locale, "-Latn-") {
				known[locale] = data
				break
			}
		}
	}
	for _, locale := range slices.Sorted(maps.Keys(known)) {
		parts := strings.Split(locale, "-")
		if len(parts) == 3 && len(parts[1]) == 4 && s.likely.text(parts[0]+"-"+parts[2]) == locale {
			known[parts[0]+"-"+parts[2]] = known[locale]
		}
	}
	return known.lines(nil), nil
}
