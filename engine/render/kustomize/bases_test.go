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

// mark begins the names of the roots, as an attacker can't know it.
const mark = "mark"

// repository returns the files of an overlay and of the repository of its base.
func repository(overlay string, base map[string]string) source.Memory {
	return source.Memory{{"kustomization.yaml": overlay}, base}
}

func render(t *testing.T, tree source.Tree, addresses ...string) (kustomize.Result, string) {
	t.Helper()
	request := kustomize.Request{Directory: ".", Bases: addresses, Mark: mark}
	built, err := kustomize.Render(tree, request)
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

// copiesOrigin is a kustomization that copies the origin of an object to a field.
const copiesOrigin = "resources: ['" + address + `']
buildMetadata: [originAnnotations]
replacements:
  - source: {kind: ConfigMap, fieldPath: 'metadata.annotations.[config.kubernetes.io/origin]'}
`

func TestRejectsWhatABaseMustNotRead(t *testing.T) {
	for name, test := range map[string]struct{ overlay, base, expected string }{
		"files of the repository": {
			"resources: ['" + address + "']", "resources: [../../mark-0]",
			`invalid: "../../mark-0" leads outside the repository`},
		"files of the repository as a generator": {
			"resources: ['" + address + "']",
			"configMapGenerator: [{name: a, files: [../../mark-0/secret.txt]}]",
			"security; file 'secret.txt' is not in or below"},
		"files of the repository by a number": {
			"resources: ['" + address + "']",
			"configMapGenerator: [{name: a, files: [../../0/secret.txt]}]",
			"open secret.txt: the path leads outside the repository"},
		"files of the repository behind a line break": {
			"resources: ['" + address + "']", `resources: ["x\n/../../../mark-0/prod"]`,
			`invalid: "x\n/../../../mark-0/prod" leads outside the repository`},
		"files of the repository as a component behind a line break": {
			"resources: ['" + address + "']", `components: ["x\n/../../../mark-0/prod"]`,
			`invalid: "x\n/../../../mark-0/prod" leads outside the repository`},
		"files of the repository behind YAML that is no object": {
			"resources: ['" + address + "']", `generators: ["a: b\n#/../../../mark-0/prod"]`,
			`invalid: "a: b\n#/../../../mark-0/prod" leads outside the repository`},
		"files of a base by a path": {
			"resources: ['" + address + "', ../mark-1/web]", "resources: [map.yaml]",
			`invalid: "../mark-1/web" leads outside the repository`},
		"files of a base behind a line break": {
			`resources: ['` + address + `', "x\n/../../mark-1/other"]`, "resources: [map.yaml]",
			`invalid: "x\n/../../mark-1/other" leads outside the repository`},
		"files of a base as a patch": {
			"resources: ['" + address + "']\npatches: [{path: ../mark-1/web/map.yaml}]",
			"resources: [map.yaml]", "is not in or below"},
		"files by an absolute path": {
			"resources: ['" + address + "']", "resources: [/mark-0/secret.txt]", "is not in or below"},
		"a directory by an absolute path": {
			"resources: ['" + address + "']", "resources: [/mark-0/prod]", "cannot be absolute"},
		"files above a directory by a control character": {
			"resources: ['" + address + "']",
			`configMapGenerator: [{name: a, files: ["k=\x01/secret.txt"]}]`, "file does not exist"},
		"itself by a control character": {
			"resources: ['" + address + "']", `resources: ["\x01/web"]`, "file does not exist"},
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
			"resources: ['" + address + "']", "resources: ['" + address + "']", "cycle detected"},
		"a copy of an origin": {
			copiesOrigin + "    targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a], options: {create: true}}]\n",
			"resources: [map.yaml]", "unsupported: "},
		"a copy of a part of an origin": {
			strings.Replace(copiesOrigin, "}\n", ", options: {delimiter: a, index: 2}}\n", 1) +
				"    targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a], options: {create: true}}]\n",
			"resources: [map.yaml]", "unsupported: "},
	} {
		t.Run(name, func(t *testing.T) {
			tree := repository(test.overlay, map[string]string{
				"web/kustomization.yaml":   test.base,
				"web/map.yaml":             configMap,
				"secret.txt":               "hunter2",
				"other/kustomization.yaml": "secretGenerator: [{name: stolen, literals: [hunter2=hunter2]}]",
			})
			tree[0]["secret.txt"] = "hunter2"
			tree[0]["prod/kustomization.yaml"] = tree[1]["other/kustomization.yaml"]
			built, problem := render(t, tree, address)
			if problem == "" || !strings.Contains(problem, test.expected) {
				t.Errorf("got: %s%s", problem, built.Documents)
			}
			if strings.Contains(problem+built.Documents, "hunter2") {
				t.Error("the content of a file is shown")
			}
		})
	}
}

func TestOnlyLinksLeadToOtherRoots(t *testing.T) {
	// Even a path that passes the check finds no root with a number.
	for _, entry := range []string{"../../0/prod", `"x\n/../../../0/prod"`, "../../1/other"} {
		for _, field := range []string{"resources", "components", "generators", "validators"} {
			tree := repository("resources: ['"+address+"']", map[string]string{
				"web/kustomization.yaml":   field + ": [" + entry + "]",
				"other/kustomization.yaml": "configMapGenerator: [{name: hunter2, literals: [a=b]}]",
			})
			tree[0]["prod/kustomization.yaml"] = tree[1]["other/kustomization.yaml"]
			built, problem := render(t, tree, address)
			if !strings.Contains(problem, "leads outside the repository") {
				t.Errorf("%s %s\ngot: %s%s", field, entry, problem, built.Documents)
			}
		}
	}
}

func TestMessagesShowNoPathOfTheEngine(t *testing.T) {
	for name, test := range map[string]struct{ overlay, base, expected string }{
		"several kustomizations": {
			"resources: [several]", "", "invalid: accumulating resources: accumulation err=" +
				"'accumulating resources from 'several': 'several' must resolve to a file': " +
				"couldn't make target for path 'several': " +
				"Found multiple kustomization files under: several\n"},
		"another kind": {
			"resources: ['" + address + "']", "kind: Foo\nresources: [map.yaml]",
			"Failed to read kustomization file under " + address + ": web:\n"},
	} {
		t.Run(name, func(t *testing.T) {
			tree := repository(test.overlay, map[string]string{"web/kustomization.yaml": test.base})
			tree[0]["several/kustomization.yaml"] = "resources: []"
			tree[0]["several/Kustomization"] = "resources: []"
			_, problem := render(t, tree, address)
			if !strings.Contains(problem, test.expected) || strings.Contains(problem, mark) {
				t.Errorf("got: %s", problem)
			}
		})
	}
}

func TestInlineObjectsCanContainPaths(t *testing.T) {
	overlay := "resources: ['" + address + `']
transformers:
  - '{"apiVersion": "builtin", "kind": "AnnotationsTransformer", "metadata": {"name": "a"},
      "annotations": {"a": "/../../../b"}, "fieldSpecs": [{"path": "metadata/annotations", "create": true}]}'
`
	files := map[string]string{"web/kustomization.yaml": "resources: [map.yaml]", "web/map.yaml": configMap}
	built, problem := render(t, repository(overlay, files), address)
	if !strings.Contains(built.Documents, "a: /../../../b\n") {
		t.Errorf("got: %s%s", problem, built.Documents)
	}
}

func TestDataNamesNoBases(t *testing.T) {
	overlay := "configMapGenerator: [{name: a, files: [template/kustomization.yaml]}]"
	text := "resources: ['" + address + "']"
	tree := source.Memory{{"kustomization.yaml": overlay, "template/kustomization.yaml": text}}
	built, problem := render(t, tree)
	if len(built.Missing) > 0 || !strings.Contains(built.Documents, "kustomization.yaml: 'resources: [") {
		t.Errorf("got: %v%s%s", built.Missing, problem, built.Documents)
	}
}
