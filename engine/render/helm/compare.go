package helm

import (
	"reflect"
	"slices"
	"strconv"

	"sigs.k8s.io/yaml"
)

// Difference is a place that differs between two renderings.
type Difference struct {
	Template string   `json:"template"`
	Kind     string   `json:"kind"`
	Name     string   `json:"name"`
	Path     []string `json:"path"`
}

// compare lists the places that differ, in the order of the first rendering.
func compare(first, second *Result) []Difference {
	found := []Difference{}
	again := byTemplate(second)
	names, documents := templatesOf(first)
	for _, name := range names {
		found = append(found, compareTemplate(name, documents[name], again[name])...)
	}
	for _, name := range sortedNames(again) {
		if documents[name] == nil {
			found = append(found, compareTemplate(name, nil, again[name])...)
		}
	}
	return found
}

func byTemplate(result *Result) map[string][]string {
	_, documents := templatesOf(result)
	return documents
}

// templatesOf returns the templates in their order, and the documents of each.
func templatesOf(result *Result) ([]string, map[string][]string) {
	var names []string
	documents := map[string][]string{}
	add := func(each Manifest) {
		if documents[each.Template] == nil {
			names = append(names, each.Template)
		}
		documents[each.Template] = append(documents[each.Template], each.Text)
	}
	for _, each := range result.Manifests {
		add(each)
	}
	for _, each := range result.Hooks {
		add(each.Manifest)
	}
	return names, documents
}

func sortedNames(documents map[string][]string) []string {
	var names []string
	for name := range documents {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func compareTemplate(name string, first, second []string) []Difference {
	var found []Difference
	for i := range max(len(first), len(second)) {
		if i < len(first) && i < len(second) {
			found = append(found, compareDocuments(name, first[i], second[i])...)
			continue
		}
		only := append(slices.Clone(first), second...)[i]
		object := parsed(only)
		found = append(found, Difference{name, kindOf(object), nameOf(object), []string{}})
	}
	return found
}

func compareDocuments(template, first, second string) []Difference {
	if first == second {
		return nil
	}
	a, b := parsed(first), parsed(second)
	name := nameOf(a)
	if name != nameOf(b) {
		name = ""
	}
	var found []Difference
	for _, path := range differing(a, b, []string{}) {
		found = append(found, Difference{template, kindOf(a), name, path})
	}
	return found
}

func differing(a, b any, at []string) [][]string {
	if reflect.DeepEqual(a, b) {
		return nil
	}
	inner := func(key string) []string { return append(slices.Clone(at), key) }
	var found [][]string
	switch a := a.(type) {
	case map[string]any:
		b, isTable := b.(map[string]any)
		if !isTable {
			break
		}
		for _, key := range sortedKeys(a) {
			found = append(found, differing(a[key], b[key], inner(key))...)
		}
		for _, key := range sortedKeys(b) {
			if _, known := a[key]; !known {
				found = append(found, inner(key))
			}
		}
		return found
	case []any:
		b, isList := b.([]any)
		if !isList || len(a) != len(b) {
			break
		}
		for i := range a {
			found = append(found, differing(a[i], b[i], inner(strconv.Itoa(i)))...)
		}
		return found
	}
	return [][]string{at}
}

// parsed returns nil for a text that isn't YAML.
func parsed(text string) any {
	var object any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		return nil
	}
	return object
}

func kindOf(object any) string { return textAt(object, "kind") }
func nameOf(object any) string { return textAt(object, "metadata", "name") }

func textAt(object any, path ...string) string {
	for _, key := range path {
		table, _ := object.(map[string]any)
		object = table[key]
	}
	text, _ := object.(string)
	return text
}
