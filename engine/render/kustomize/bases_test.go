package kustomize_test

import (
	"errors"
	"strings"
	"testing"

	"qvs/host/source"
	"qvs/render/kustomize"
	"qvs/render/problem"
)

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n"

const address = "https://git.example.com/acme/bases//web?ref=v1"

// repository returns the files of an overlay and of the repository of its base.
func repository(overlay string, base map[string]string) source.Memory {
	return source.Memory{{"kustomization.yaml": overlay}, base}
}

func render(t *testing.T, tree source.Tree, addresses ...string) (kustomize.Result, string) {
	t.Helper()
	built, err := kustomize.Render(tree, kustomize.Request{Directory: ".", Bases: addresses})
	var known *problem.Problem
	if errors.As(err, &known) {
		return built, known.Code + ": " + known.Message
	}
	return built, ""
}

func TestLinksRemoteBases(t *testing.T) {
	files := map[string]string{
		"web/kustomization.yaml": "resources: [../shared, map.yaml]",
		"web/map.yaml":           configMap,
		// A directory below the root of the repository is no base of a directory at the root.
		"shared/kustomization.yaml": "configMapGenerator: [{name: shared, literals: [a=b]}]",
	}
	expected := "kind: ConfigMap\nmetadata:\n  name: staging-web\n"
	for _, overlay := range []string{
		"namePrefix: staging-\nresources: ['" + address + "']",
		"namePrefix: staging-\nbases: ['" + address + "']",
		"namePrefix: staging-\nRESOURCES: ['" + address + "']",
		"namePrefix: staging-\nre\u017fource\u017f: ['" + address + "']",
	} {
		built, problem := render(t, repository(overlay, files), address)
		if problem != "" || !strings.Contains(built.Documents, expected) {
			t.Errorf("%s\ngot: %s%s", overlay, problem, built.Documents)
		}
	}
}

func TestNamesMissingBases(t *testing.T) {
	for entry, expected := range map[string]kustomize.Base{
		address: {Repository: "https://git.example.com/acme/bases", Revision: "v1", Path: "web"},
		"github.com/acme/bases?ref=v1": {
			Repository: "https://github.com/acme/bases", Revision: "v1"},
		"https://github.com/acme/bases/notCloned?version=v1": {
			Repository: "https://github.com/acme/bases", Revision: "v1", Path: "notCloned"},
		"https://github.com/acme/notCloned": {Repository: "https://github.com/acme/notCloned"},
		"https://git.example.com/a/b/c.git//?ref=v1": {
			Repository: "https://git.example.com/a/b/c.git", Revision: "v1"},
		"git@github.com:acme/bases.git//a/b/?timeout=90s&ref=a%2Fb": {
			Repository: "git@github.com:acme/bases.git", Revision: "a/b", Path: "a/b"},
		"git::https://git.example.com/acme/bases.git//a": {
			Repository: "https://git.example.com/acme/bases.git", Path: "a"},
		"file:///acme/bases":                       {Repository: "file:///acme/bases"},
		"https://git.example.com/acme/x//y.yaml":   {Repository: "https://git.example.com/acme/x", Path: "y.yaml"},
		"https://a@dev.azure.com/o/p/_git/r/web":   {Repository: "https://a@dev.azure.com/o/p/_git/r", Path: "web"},
		"ssh://git@git.example.com:7999/a/b.git/c": {Repository: "ssh://git@git.example.com:7999/a/b.git", Path: "c"},
	} {
		expected.Address, expected.File = entry, "kustomization.yaml"
		for _, field := range []string{"resources", "components", "generators", "transformers", "validators"} {
			built, problem := render(t, repository(field+": ['"+entry+"']", nil))
			if problem != "" || len(built.Missing) != 1 || built.Missing[0] != expected {
				t.Errorf("%s %s\ngot: %+v%s\nnot: %+v", field, entry, built.Missing, problem, expected)
			}
		}
	}
}

func TestNamesBasesOfBases(t *testing.T) {
	other := "https://git.example.com/acme/other?ref=v2"
	files := map[string]string{"web/kustomization.yaml": "resources: ['" + other + "']"}
	built, _ := render(t, repository("resources: ['"+address+"']", files), address)
	if len(built.Missing) != 1 || built.Missing[0].From != 1 ||
		built.Missing[0].File != "web/kustomization.yaml" {
		t.Errorf("got: %+v", built.Missing)
	}
	tree := append(repository("resources: ['"+address+"']", files),
		map[string]string{"kustomization.yaml": "resources: [map.yaml]", "map.yaml": configMap})
	if built, problem := render(t, tree, address, other); !strings.Contains(built.Documents, "name: web") {
		t.Errorf("got: %s", problem)
	}
}

func TestRejectsWhatABaseMustNotRead(t *testing.T) {
	for name, test := range map[string]struct{ overlay, base, expected string }{
		"files of the repository": {
			"resources: ['" + address + "']", "resources: [../../0]",
			`invalid: "../../0" leads outside the repository`},
		"files of the repository as a generator": {
			"resources: ['" + address + "']", "configMapGenerator: [{name: a, files: [../../0/secret.txt]}]",
			"invalid: "},
		"files of a base by a path": {
			"resources: ['" + address + "', ../1/web]", "resources: [map.yaml]",
			`invalid: "../1/web" leads outside the repository`},
		"files of a base as a patch": {
			"resources: ['" + address + "']\npatches: [{path: ../1/web/map.yaml}]", "resources: [map.yaml]",
			"invalid: "},
		"files by an absolute path": {
			"resources: ['" + address + "']", "resources: [/0/secret.txt]", "invalid: "},
		"the address of a file": {
			"resources: ['https://git.example.com/acme/bases/v1/web.yaml']", "",
			`remote: "https://git.example.com/acme/bases/v1/web.yaml" is the address of a file`},
		"a long address": {
			"resources: ['" + address + strings.Repeat("a", 2000) + "']", "",
			"invalid: the address of a remote base is too long"},
		"an address with a line break": {
			"resources: [\"" + address + "\\n\"]", "",
			"invalid: the address of a remote base is too long or has control characters"},
		"the address of a patch": {
			"resources: ['" + address + "']\npatches: [{path: 'https://git.example.com/a.yaml'}]",
			"resources: [map.yaml]", "remote: "},
		"the address of data": {
			"configMapGenerator: [{name: a, files: ['https://git.example.com/a.conf']}]",
			"resources: [map.yaml]", "remote: "},
		"the address of a definition": {
			"resources: ['" + address + "']\ncrds: ['https://git.example.com/a.yaml']",
			"resources: [map.yaml]", "remote: "},
		"a base that names itself": {
			"resources: ['" + address + "']", "resources: ['" + address + "']", "invalid: "},
		"annotations with the origin": {
			"resources: ['" + address + "']\nbuildMetadata: [originAnnotations]", "resources: [map.yaml]",
			"unsupported: "},
		"a kustomization as data": {
			"resources: ['" + address + "']\nconfigMapGenerator: [{name: a, files: [a=kustomization.yaml]}]",
			"resources: [map.yaml]", "unsupported: "},
	} {
		t.Run(name, func(t *testing.T) {
			tree := repository(test.overlay, map[string]string{
				"web/kustomization.yaml": test.base, "web/map.yaml": configMap})
			tree[0]["secret.txt"] = "hunter2"
			built, problem := render(t, tree, address)
			if problem == "" || !strings.HasPrefix(problem, test.expected) {
				t.Errorf("got: %s%s", problem, built.Documents)
			}
			t.Log(problem)
			if strings.Contains(problem+built.Documents, "hunter2") {
				t.Error("the content of a file is shown")
			}
		})
	}
}
