package helm

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/strvals"

	"qvs/render/problem"
)

// ValuesText is a values file.
type ValuesText struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// SetValue is one value of `set`.
type SetValue struct {
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value"`
}

// readValues merges the values as `helm template --values … --set-json …` does.
func readValues(request Request) (map[string]any, error) {
	merged := map[string]any{}
	for _, each := range request.Values {
		values, err := loader.LoadValues(strings.NewReader(each.Text))
		if err != nil {
			failed := problem.New(problem.Invalid, "failed to parse %s: %s", each.Name, err)
			failed.At = &problem.Place{File: each.Name}
			return nil, failed
		}
		merged = loader.MergeMaps(merged, values)
	}
	for _, each := range request.Set {
		set, err := withValue(merged, each)
		if err != nil {
			return nil, problem.New(problem.Invalid, "failed to set %s: %s", each.Path, err)
		}
		merged = set
	}
	return merged, nil
}

var integer = regexp.MustCompile(`^-?\d+$`)

// withValue adds a value of `set`. An integer stays one, as with `helm --set`: a template would
// print a large float64 as 2.0260101e+07. The fields of an object are added to those of the files.
func withValue(values map[string]any, set SetValue) (map[string]any, error) {
	text := strings.TrimSpace(string(set.Value))
	assignment := set.Path + "=" + text
	if integer.MatchString(text) {
		return values, strvals.ParseInto(assignment, values)
	}
	isObject := strings.HasPrefix(text, "{") && !strings.Contains(set.Path, "[")
	if !isObject {
		return values, strvals.ParseJSON(assignment, values)
	}
	one := map[string]any{}
	if err := strvals.ParseJSON(assignment, one); err != nil {
		return nil, err
	}
	return loader.MergeMaps(values, one), nil
}

// nullNotices finds the nulls in a parent's values.yaml that Helm 3 treats as "remove this default"
// and Helm 4 ignores.
func nullNotices(parent *chart.Chart) []problem.Notice {
	var notices []problem.Notice
	for _, child := range parent.Dependencies() {
		for _, name := range namesOf(parent, child) {
			given, _ := parent.Values[name].(map[string]any)
			for _, at := range nulls(given, child.Values, name) {
				notices = append(notices, problem.Notice{
					Code:    "null-value",
					Message: fmt.Sprintf("%s: null keeps the default of the chart %s; Helm 3 removes it", at, child.Name()),
					At:      &problem.Place{File: parent.ChartFullPath() + "/values.yaml"},
				})
			}
		}
		notices = append(notices, nullNotices(child)...)
	}
	return notices
}

// namesOf returns the names under which a chart has the values of a dependency.
func namesOf(parent, child *chart.Chart) []string {
	var names []string
	for _, each := range parent.Metadata.Dependencies {
		if each.Name == child.Name() && each.Alias != "" {
			names = append(names, each.Alias)
		}
	}
	if len(names) == 0 {
		return []string{child.Name()}
	}
	return names
}

// nulls returns the paths with a null in one table and a value in the other, sorted.
func nulls(given, defaults map[string]any, prefix string) []string {
	var found []string
	for _, key := range sortedKeys(given) {
		at := prefix + "." + key
		if given[key] == nil {
			if defaults[key] != nil {
				found = append(found, at)
			}
			continue
		}
		inner, isTable := given[key].(map[string]any)
		fallback, isDefaultTable := defaults[key].(map[string]any)
		if isTable && isDefaultTable {
			found = append(found, nulls(inner, fallback, at)...)
		}
	}
	return found
}
