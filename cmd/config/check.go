package config

import "slices"

// Check checks the text of one file, without other files and without expanding variables.
// It returns warnings, and the mistakes as an error, or nil.
func Check(path string, text []byte) (warnings Mistakes, wrong error) {
	d, err := parse(path, text)
	if err != nil {
		return nil, err
	}
	d.root.expand(nil, nil)
	v := d.validate()
	if len(v.mistakes) > 0 {
		return v.warnings, v.mistakes
	}
	return v.warnings, nil
}

// Unknown returns the locations of the fields that the configuration does not know.
func Unknown(text []byte) (places [][]string, err error) {
	d, err := parse("", text)
	if err != nil {
		return nil, err
	}
	_, unknown := d.againstSchema()
	for _, f := range unknown {
		places = append(places, f.location)
	}
	return places, nil
}

// Variables returns the names of the variables that a text refers to without a default.
func Variables(text string) []string {
	var names []string
	for _, p := range pieces(text) {
		if p.kind == variableReference && !p.hasFallback && !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}
