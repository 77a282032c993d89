package helm

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestSetValuesAreAddedToThoseOfTheFiles(t *testing.T) {
	for _, each := range []struct{ path, value, expected string }{
		{"image", `{"tag": "1"}`, "map[image:map[name:web tag:1]]"},
		{"image.tag", `"1"`, "map[image:map[name:web tag:1]]"},
		{"build", `20260101`, "map[build:20260101 image:map[name:web]]"},
		{"image", `null`, "map[image:<nil>]"},
		{"list[0]", `{"a": true}`, "map[image:map[name:web] list:[map[a:true]]]"},
	} {
		values, err := readValues(Request{
			Values: []ValuesText{{Name: "values.yaml", Text: "image: {name: web}"}},
			Set:    []SetValue{{Path: each.path, Value: json.RawMessage(each.value)}},
		})
		if found := fmt.Sprint(values); err != nil || found != each.expected {
			t.Errorf("%s=%s gives %s (%v), not %s", each.path, each.value, found, err, each.expected)
		}
	}
}

func TestKeysAndValuesAreSorted(t *testing.T) {
	entries := map[string]any{"c": 3, "a": 1, "b": 2}
	keys := sorted["keys"].(func(...map[string]any) []string)(entries)
	values := sorted["values"].(func(map[string]any) []any)(entries)
	if fmt.Sprint(keys, values) != "[a b c] [1 2 3]" {
		t.Errorf("%v and %v aren't sorted", keys, values)
	}
}
