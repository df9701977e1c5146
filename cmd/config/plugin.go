package config

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/toolscript/toolscript"
)

// userOnly are the top-level fields that only the user's file can set: a repository must
// not change them, and must not choose who reads the user's prompts.
var userOnly = []string{"plugin", "suggestions", "hub"}

// AutoAllow returns plugin.autoAllow of the user's file: whether the plugin allows safe
// commands of an agent without a question. It is true unless the file says false.
func AutoAllow(o Options) (bool, error) {
	d, err := o.userFile("plugin")
	if err != nil || d == nil {
		return err == nil, err
	}
	return !d.root.child("plugin").child("autoAllow").off(), nil
}

// Suggestions are the settings for suggesting tools for prompts.
type Suggestions struct {
	Off   bool
	Model SuggestionModel // the zero value means no model
}

// SuggestionModel is an endpoint that turns prompts into search queries. Key is a secret.
type SuggestionModel struct{ API, URL, Name, Key string }

// LoadSuggestions reads suggestions from the user's file. If a variable of the model is not
// set, there is no model.
func LoadSuggestions(o Options) (Suggestions, error) {
	d, err := o.userFile("suggestions")
	if err != nil || d == nil {
		return Suggestions{}, err
	}
	n := d.root.child("suggestions")
	s := Suggestions{Off: n.child("enabled").off()}
	model := n.child("model")
	if model == nil {
		return s, nil
	}
	model.expand(o.variable, nil)
	if len(model.missing()) == 0 {
		s.Model = SuggestionModel{API: "openai", URL: model.child("url").text(), Name: model.child("model").text()}
		set(&s.Model.API, model.child("api"), (*node).text)
		set(&s.Model.Key, model.child("key"), (*node).text)
	}
	return s, nil
}

// userFile reads the user's file; it returns nil if there is none. Fields with mistakes are
// left out, but mistakes in the field key are an error.
func (o Options) userFile(key string) (*document, error) {
	home := o.home()
	if home == "" {
		return nil, nil
	}
	file := File{Path: filepath.Join(home, FileName)}
	text, err := read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d, err := parse(file.Path, text)
	if err != nil {
		return nil, err
	}
	o.Identify, o.NoValues = false, true // only settings are read
	(&loader{options: o}).expand(d, effect{all: true})
	v := d.validate()
	if _, broken := v.broken[part{key: key}]; broken || v.whole(true) {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: v.mistakes}
	}
	d.root.remove(v.settings())
	return d, nil
}

// remarkPlugin warns about fields that have an effect in the user's file alone and are in another file.
func (l *loader) remarkPlugin(file File, d *document) {
	for _, name := range userOnly {
		if n := d.root.child(name); n != nil && (file.Project || file.Named) {
			l.report(Mistakes{d.mistake([]string{name}, n.key, "has an effect in ~/"+FileName+" alone")})
		}
	}
}
