package helm

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/sprig/v3"

	"qvs/host/source"
)

// reproducible are functions that sprig lists as not hermetic, but that depend only on their
// arguments, or that Helm removes.
var reproducible = []string{"dateModify", "date_modify", "env", "expandenv", "getHostByName", "mustDateModify"}

func TestFunctionsThatDependOnMoreThanTheirArgumentsAreNoted(t *testing.T) {
	noted := newFunctions(Chance{}).withChance()
	hermetic := sprig.HermeticTxtFuncMap()
	for name := range sprig.TxtFuncMap() {
		if hermetic[name] == nil && noted[name] == nil && !slices.Contains(reproducible, name) {
			t.Errorf("%s isn't noted", name)
		}
	}
}

func TestRendersTwiceOnlyWithChance(t *testing.T) {
	for _, c := range []struct {
		name, template string
		twice          bool
	}{
		{"a plain template", `{{ .Values.a }}{{ include "x" . }}`, false},
		{"a random text", `{{ randAlphaNum 5 }}`, true},
		{"a random text of a helper", `{{ include "random" . }}`, true},
		{"a random text of a value", `{{ tpl .Values.tpl . }}`, true},
		{"a random text that isn't called", `{{ if .Values.absent }}{{ randAlphaNum 5 }}{{ end }}`, false},
		{"a clock", `{{ now | unixEpoch }}`, true},
		{"a duration since a date", `{{ durationRound (toDate "2006" "2020") }}`, true},
		{"a certificate", `{{ (genCA "a" 1).Cert | sha256sum }}`, true},
		{"an address", `{{ printf "%p" .Values }}`, true},
		{"an address of a version", `{{ printf "%d" (list (semver "1.2.3")) }}`, true},
		{"an address in Go syntax", `{{ printf "%#v" (list (semver "1.2.3")) }}`, true},
		{"numbers", `{{ printf "%05d-%s" 7 "a" }}{{ printf "%v %q" .Values "b" }}`, false},
		{"all data", `{{ . | toString | sha256sum }}`, false},
		{"the capabilities", `{{ .Capabilities }}{{ printf "%v" .Capabilities }}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := source.Memory{{
				"Chart.yaml":            "apiVersion: v2\nname: shop\nversion: 1.0.0\nmaintainers: [{name: a}]\ndependencies: [{name: db}]\n",
				"values.yaml":           "a: b\ntpl: '{{ uuidv4 }}'\n",
				"charts/db/Chart.yaml":  "apiVersion: v2\nname: db\nversion: 1.0.0\n",
				"templates/_names.tpl":  `{{ define "x" }}x{{ end }}{{ define "random" }}{{ shuffle "abcdefghij" }}{{ end }}`,
				"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: |\n    " + c.template + "\n",
			}}
			request := Request{Chart: ".", Release: "a", Chance: Chance{Seed: "1"}, Compare: &Chance{Seed: "2", Clock: 1}}
			first := newFunctions(request.Chance)
			end := record()
			_, err := renderOnce(files, request, first)
			end()
			if err != nil {
				t.Fatal(err)
			}
			if first.chance != c.twice {
				t.Errorf("chance is %v", first.chance)
			}
			result, _, err := Render(files, request)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(result)
			if !strings.Contains(string(text), `"differences":[`) {
				t.Errorf("the result has no differences: %s", text)
			}
		})
	}
}

// TestAddressesAreNotPrinted renders data that contains pointers twice.
func TestAddressesAreNotPrinted(t *testing.T) {
	for _, template := range []string{
		`{{ . }}`, `{{ $ | toString }}`, `{{ .Capabilities }}`, `{{ printf "%v" .Capabilities }}`, `{{ list .Capabilities }}`,
		`{{ print . .Capabilities }}`, `{{ deepCopy . | quote }}`, `{{ values . | join " " }}`, `{{ .Chart }}{{ .Subcharts }}`,
	} {
		first, _ := rendered(t, "", template)
		// Another allocation moves the next rendering.
		_ = maps.Clone(map[string]int{"a": 1})
		if second, _ := rendered(t, "", template); first != second {
			t.Errorf("%s: %s and %s", template, first, second)
		}
	}
}
