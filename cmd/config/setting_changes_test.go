package config_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/config"
)

// flagOnly are the settings that no configuration file can contain.
var flagOnly = []string{"Search.Device", "Search.Idle"}

// TestEverySettingIsCompared: Differences reports a change of any field of Settings.
func TestEverySettingIsCompared(t *testing.T) {
	var visit func(path string, settings *config.Settings, at reflect.Value)
	n := 0
	visit = func(path string, settings *config.Settings, at reflect.Value) {
		if at.Kind() == reflect.Struct {
			for i := range at.NumField() {
				visit(strings.TrimPrefix(path+"."+at.Type().Field(i).Name, "."), settings, at.Field(i))
			}
			return
		}
		if slices.Contains(flagOnly, path) {
			return
		}
		before := config.Settings{}
		at.Set(other(at.Type()))
		n++
		if changes := settings.Differences(before, before); len(changes) != 1 {
			t.Errorf("%s is another: Differences = %v, want one", path, changes)
		}
		if changes := settings.Differences(*settings, *settings); len(changes) != 0 {
			t.Errorf("%s is the same: Differences = %v", path, changes)
		}
		at.SetZero()
	}
	var settings config.Settings
	visit("", &settings, reflect.ValueOf(&settings).Elem())
	if n < 30 {
		t.Errorf("%d settings were compared", n)
	}
}

// other returns a value that differs from the zero value.
func other(of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("quarantine") // also a valid policy of pins
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(of, 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(of))
		key := reflect.New(of.Key()).Elem()
		key.SetString("k")
		value := reflect.New(of.Elem()).Elem()
		if value.Kind() == reflect.Struct && value.Field(0).Kind() == reflect.Bool {
			value.Field(0).SetBool(true)
		}
		v.SetMapIndex(key, value)
	default:
		panic("a kind of field that the test does not know: " + of.String())
	}
	return v
}
