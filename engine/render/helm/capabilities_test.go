package helm

import (
	"encoding/json"
	"strings"
	"testing"

	"qvs/host/source"
)

// rendered renders a chart with one template, and returns its text and the questions as JSON.
func rendered(t *testing.T, chart, template string) (text, asked string) {
	t.Helper()
	files := source.Memory{{
		"chart/Chart.yaml":          "apiVersion: v2\nname: chart\nversion: 1.0.0\n" + chart,
		"chart/templates/text.yaml": "kind: A\napiVersion: v1\ntext: " + template + "\n",
	}}
	result, questions, err := Render(files, Request{
		Chart:   "chart",
		Release: "web",
		Capabilities: Capabilities{
			KubeVersion: "v1.33.4-gke.1",
			APIVersions: []string{"v1", "example.com/v1", "example.com/v1/Route"},
			Complete:    true,
		},
		Chance:  Chance{Seed: "a"},
		Compare: &Chance{Seed: "b"},
	})
	if err != nil {
		text = err.Error()
	} else {
		text = strings.TrimPrefix(result.Manifests[0].Text, "kind: A\napiVersion: v1\ntext: ")
	}
	found, _ := json.Marshal(questions)
	return strings.TrimSpace(text), string(found)
}

func TestTheQuestionsOfTemplatesAreListed(t *testing.T) {
	const nothing = `{"kubeVersion":false,"constraint":false,"apiVersions":{},"all":false}`
	const version = `{"kubeVersion":true,"constraint":false,"apiVersions":{},"all":false}`
	const list = `{"kubeVersion":false,"constraint":false,"apiVersions":{},"all":true}`
	const route = `{"kubeVersion":false,"constraint":false,"apiVersions":{"example.com/v1/Route":true},"all":false}`
	for _, each := range []struct{ name, chart, template, text, asked string }{
		{"no question", "", `{{ .Release.Name }}`, "web", nothing},
		{"the version of Helm", "", `{{ kindOf .Capabilities.HelmVersion.Version }}`, "string", nothing},
		{"an API version", "", `{{ .Capabilities.APIVersions.Has "example.com/v1/Route" }}`, "true", route},
		{"a branch that isn't rendered", "",
			`{{ if .Capabilities.APIVersions.Has "a/v1" }}{{ .Capabilities.APIVersions.Has "b/v1" }}{{ end }}`, "",
			`{"kubeVersion":false,"constraint":false,"apiVersions":{"a/v1":false},"all":false}`},
		{"the list in a variable", "",
			`{{ $all := .Capabilities.APIVersions }}{{ $all.Has "example.com/v1/Route" }}`, "true", route},
		{"a copy of all values", "",
			`{{ $copy := deepCopy . }}{{ $copy.Capabilities.APIVersions.Has "example.com/v1/Route" }}`, "true", route},
		{"tpl", "", `{{ tpl "{{ .Capabilities.APIVersions.Has \"example.com/v1/Route\" }}" . }}`, "true", route},
		{"a loop", "", `{{ range .Capabilities.APIVersions }}{{ . }} {{ end }}`, "v1 example.com/v1 example.com/v1/Route", list},
		{"a search in the list", "", `{{ has "v1" .Capabilities.APIVersions }}`, "true", list},
		{"a loop and a question", "",
			`{{ range .Capabilities.APIVersions }}{{ if $.Capabilities.APIVersions.Has "v1" }}{{ . }} {{ end }}{{ end }}`,
			"v1 example.com/v1 example.com/v1/Route",
			`{"kubeVersion":false,"constraint":false,"apiVersions":{"v1":true},"all":true}`},
		{"the version", "", `{{ .Capabilities.KubeVersion }}`, "v1.33.4", version},
		{"the version as text", "", `{{ .Capabilities.KubeVersion | toString }}`, "{v1.33.4-gke.1 v1.33.4 1 33}", version},
		{"the formatted version", "", `{{ printf "%v" .Capabilities.KubeVersion }}`, "{v1.33.4-gke.1 v1.33.4 1 33}", version},
		{"the type of the version", "",
			`{{ kindOf .Capabilities.KubeVersion }} {{ typeOf .Capabilities.KubeVersion }}`, "struct common.KubeVersion", version},
		{"the version in a variable", "",
			`{{ $v := .Capabilities.KubeVersion }}{{ $v.GitVersion }} {{ $v }}`, "v1.33.4-gke.1 v1.33.4", version},
		{"the version with a scope", "",
			`{{ with .Capabilities.KubeVersion }}{{ .GitVersion }} {{ . }} {{ toString . }}{{ end }}`,
			"v1.33.4-gke.1 v1.33.4 {v1.33.4-gke.1 v1.33.4 1 33}", version},
		{"the full version", "", `{{ .Capabilities.KubeVersion.Version }}`, "v1.33.4-gke.1", version},
		{"the old name", "", `{{ .Capabilities.KubeVersion.GitVersion }}`, "v1.33.4-gke.1", version},
		{"the minor version", "", `{{ .Capabilities.KubeVersion.Minor }}`, "33", version},
		{"a comparison", "", `{{ semverCompare ">=1.30-0" .Capabilities.KubeVersion.Version }}`, "true", version},
		{"a constraint in Chart.yaml", "kubeVersion: '>=1.20'", "a", "a",
			`{"kubeVersion":false,"constraint":true,"apiVersions":{},"all":false}`},
		{"a chart that can't be rendered", "",
			`{{ if not (.Capabilities.APIVersions.Has "a/v1") }}{{ fail "needs a/v1" }}{{ end }}`, "needs a/v1",
			`{"kubeVersion":false,"constraint":false,"apiVersions":{"a/v1":false},"all":false}`},
		{"JSON", "", `{{ (fromJson (toJson .Capabilities)).KubeVersion.Minor }}`, "33",
			`{"kubeVersion":true,"constraint":false,"apiVersions":{},"all":true}`},
		{"a text that names no API", "", `{{ .Capabilities.APIVersions.Has (repeat 1000 "a") }}`, "false", nothing},
	} {
		text, asked := rendered(t, each.chart, each.template)
		if !strings.HasSuffix(text, each.text) || asked != each.asked {
			t.Errorf("%s: got %q and %s", each.name, text, asked)
		}
	}
}

func TestTooManyQuestionsCountAsTheWholeList(t *testing.T) {
	_, asked := rendered(t, "", `{{ range until 600 }}{{ $.Capabilities.APIVersions.Has (printf "a/v%d" .) }}{{ end }}`)
	if !strings.HasSuffix(asked, `"all":true}`) || strings.Count(asked, "a/v") != maxAsked {
		t.Errorf("%s", asked)
	}
}

func TestCapabilitiesPrintLikeThoseOfHelm(t *testing.T) {
	text, asked := rendered(t, "", `'{{ .Capabilities }}'`)
	const expected = "'{{v1.33.4-gke.1 v1.33.4 1 33} [v1 example.com/v1 example.com/v1/Route] {v"
	if !strings.HasPrefix(text, expected) {
		t.Errorf("got %q", text)
	}
	const everything = `{"kubeVersion":true,"constraint":false,"apiVersions":{},"all":true}`
	if asked != everything {
		t.Errorf("got the questions %s", asked)
	}
}
