package upstream_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/transport/upstream"
)

// TestEveryFieldIsCompared: Changes reports a change of any field of Config, without its value.
func TestEveryFieldIsCompared(t *testing.T) {
	var visit func(path string, c *upstream.Config, at reflect.Value)
	visit = func(path string, c *upstream.Config, at reflect.Value) {
		if at.Kind() == reflect.Struct {
			for i := range at.NumField() {
				visit(path+"."+at.Type().Field(i).Name, c, at.Field(i))
			}
			return
		}
		at.Set(secret(at.Type()))
		changes := upstream.Config{}.Changes(*c)
		if len(changes) != 1 || strings.Contains(changes[0], "secret") {
			t.Errorf("Config%s is another: Changes = %v, want one field", path, changes)
		}
		if changes := c.Changes(*c); len(changes) != 0 {
			t.Errorf("Config%s is the same: Changes = %v", path, changes)
		}
		at.SetZero()
	}
	var c upstream.Config
	visit("", &c, reflect.ValueOf(&c).Elem())
}

func secret(of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("secret")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Slice:
		v.Set(reflect.Append(v, secret(of.Elem())))
	case reflect.Map:
		v.Set(reflect.MakeMap(of))
		v.SetMapIndex(reflect.ValueOf("NAME"), secret(of.Elem()))
	case reflect.Interface:
		v.Set(reflect.ValueOf(errors.New("secret")))
	case reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
	default: // a struct in a list: its presence is the difference
	}
	return v
}

func TestChangesNameVariablesAndHeaders(t *testing.T) {
	one := upstream.Config{Command: "a", Env: map[string]string{"SAME": "1", "GONE": "", "OTHER": "1"}, Headers: map[string]string{"A": "1"}}
	next := upstream.Config{Command: "b", Env: map[string]string{"SAME": "1", "OTHER": "2"}, Headers: map[string]string{"A": "2"}}
	if got, want := one.Changes(next), []string{"command", "env.GONE", "env.OTHER", "headers.A"}; !slices.Equal(got, want) {
		t.Errorf("Changes = %v, want %v", got, want)
	}
}
