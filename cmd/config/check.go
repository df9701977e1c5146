package config

import "slices"

// Check reads the text of a file without any other file. It returns what a user should
// know, and what is wrong, which is nil if nothing is. Variables are not expanded.
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

// Unknown returns the places of the fields that the configuration does not have.
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

// Variables are the names of the variables without a default that a text refers to.
func Variables(text string) []string {
	var names []string
	for _, p := range pieces(text) {
		if p.kind == variableReference && !p.hasFallback && !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}
