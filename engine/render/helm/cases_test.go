package helm

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"qvs/host/source"
	"qvs/render/cases"
)

func TestChartsEqualHelm(t *testing.T) {
	for _, each := range cases.Read(t, "helm") {
		t.Run(filepath.Base(each.Folder), func(t *testing.T) {
			checkResult(t, each, "default", "expected-default", nil)
			if values, found := each.Text(t, "values.yaml"); found {
				checkResult(t, each, "values", "expected", []ValuesText{{"values.yaml", values}})
			}
		})
	}
}

func checkResult(t *testing.T, each cases.Case, name, expected string, values []ValuesText) {
	t.Helper()
	request := requestOf(each, values)
	result, _, err := Render(source.Directory{each.Folder}, request)
	if message, refused := each.Text(t, expected+".error"); refused {
		if err == nil || !strings.Contains(message, lastLine(err.Error())) {
			t.Errorf("%s: got the error %v, expected %s", name, err, message)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %s", name, err)
		return
	}
	chance := each.Differs(t, name)
	if found := placesOf(result.Differences); !slices.Equal(found, slices.Sorted(slices.Values(chance))) {
		t.Errorf("%s: not reproducible: %q, expected %q", name, found, chance)
	}
	text, _ := each.Text(t, expected+".yaml")
	for _, place := range differences(output(result, each.IncludeCRDs), text) {
		if !slices.Contains(chance, place) {
			t.Errorf("%s: other bytes at %s", name, place)
		}
	}
}

func requestOf(each cases.Case, values []ValuesText) Request {
	return Request{
		Chart:        "chart",
		Release:      each.Release,
		Namespace:    each.Namespace,
		Values:       values,
		Capabilities: Capabilities{KubeVersion: each.KubeVersion, APIVersions: each.APIVersions},
		Chance:       Chance{Seed: "a", Clock: 1_700_000_000_000},
		Compare:      &Chance{Seed: "b", Clock: 1_800_000_000_000},
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// output returns the text that `helm template` prints.
func output(result *Result, crds bool) string {
	var text strings.Builder
	if crds {
		for _, each := range result.CRDs {
			fmt.Fprintf(&text, "---\n# Source: %s\n%s\n", each.Path, each.Text)
		}
	}
	for _, each := range result.Manifests {
		fmt.Fprintf(&text, "---\n# Source: %s\n%s\n", each.Template, each.Text)
	}
	printed := strings.TrimSpace(text.String()) + "\n"
	for _, each := range result.Hooks {
		printed += fmt.Sprintf("---\n# Source: %s\n%s\n", each.Template, each.Text)
	}
	return printed
}

// differences returns the places of documents with other bytes.
func differences(got, expected string) []string {
	if got == expected {
		return nil
	}
	a, b := strings.Split(got, "---\n# Source: "), strings.Split(expected, "---\n# Source: ")
	if len(a) != len(b) {
		return []string{fmt.Sprintf("%d instead of %d documents", len(a), len(b))}
	}
	var found []string
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		template, _, _ := strings.Cut(a[i], "\n")
		places := compareDocuments(template, "# "+a[i], "# "+b[i])
		if len(places) == 0 {
			found = append(found, template+": only white space or comments")
		}
		found = append(found, placesOf(places)...)
	}
	return found
}

func placesOf(all []Difference) []string {
	var places []string
	for _, each := range all {
		key := "the document"
		if len(each.Path) > 0 {
			key = each.Path[len(each.Path)-1]
		}
		places = append(places, fmt.Sprintf("%s %s: %s", each.Template, each.Kind, key))
	}
	slices.Sort(places)
	return slices.Compact(places)
}
