package kustomize_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"qvs/host/source"
	"qvs/render/cases"
	"qvs/render/kustomize"
)

// renderOrigins returns the origins of a kustomization, one line for each field.
func renderOrigins(t *testing.T, tree source.Tree, directory string, addresses ...string) string {
	t.Helper()
	request := kustomize.Request{Directory: directory, Bases: addresses, Mark: mark}
	plain, err := kustomize.Render(tree, request)
	if err != nil {
		t.Fatal(err)
	}
	request.Origins = true
	traced, err := kustomize.Render(tree, request)
	if err != nil {
		t.Fatal(err)
	}
	if plain.Documents != traced.Documents {
		t.Errorf("got:\n%s\nnot:\n%s", traced.Documents, plain.Documents)
	}
	if plain.Origins != nil || len(traced.Notices) != len(plain.Notices) {
		t.Errorf("got: %v %v", plain.Origins, traced.Notices)
	}
	shown := ""
	place := func(s kustomize.Source) string {
		return strings.TrimSuffix(fmt.Sprintf("%d:%s %s", s.Root, s.Path, s.Field), " ")
	}
	for _, each := range traced.Origins.Documents {
		declared := "unknown"
		if each.Declared != nil {
			declared = place(*each.Declared)
		}
		shown += fmt.Sprintf("%s %s: %s\n", each.Kind, each.Name, declared)
		for _, field := range each.Fields {
			by := "declared"
			if field.By >= 0 {
				by = place(traced.Origins.Sources[field.By])
			}
			shown += fmt.Sprintf("  %s: %s\n", strings.Join(field.Path, "."), by)
		}
	}
	return shown
}

func TestListsTheOriginOfEachField(t *testing.T) {
	base := map[string]string{
		"web/kustomization.yaml": "resources: [web.yaml]\npatches: [{path: own.yaml}]\n",
		"web/web.yaml":           web,
		"web/own.yaml":           "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {paused: true}\n",
	}
	component := `apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - {path: add.yaml, target: {kind: Deployment}}
  - {target: {kind: Service}, patch: "- {op: remove, path: /spec/type}"}
`
	container := "spec: {template: {spec: {containers: [{name: log, image: log}, {name: web, tty: true}]}}}\n"
	for name, test := range map[string]struct{ overlay, expected string }{
		"no transformer": {
			"resources: [map.yaml]\n", "ConfigMap web: 0:x/map.yaml\n"},
		"a remote base": {
			"resources: [BASE]\n",
			"Deployment web: 1:web/web.yaml\n  spec.paused: 1:web/own.yaml\n"},
		"each field of a kustomization": {
			`resources: [BASE]
namePrefix: a-
nameSuffix: -b
namespace: shop
images: [{name: web, newTag: "2"}, {name: unused, newTag: "3"}]
replicas: [{name: web, count: 3}]
commonAnnotations: {note: a}
labels: [{pairs: {team: a}}]
patches:
  - {path: replicas.yaml}
  - {target: {kind: Deployment}, patch: "- {op: add, path: /spec/revisionHistoryLimit, value: 1}"}
replacements:
  - source: {kind: Deployment, fieldPath: metadata.namespace}
    targets: [{select: {kind: Deployment}, fieldPaths: [metadata.labels.app]}]
`,
			`Deployment web: 1:web/web.yaml
  metadata.labels.app: 0:x replacements
  metadata.labels.team: 0:x labels
  metadata.name: 0:x nameSuffix
  metadata.namespace: 0:x namespace
  metadata.annotations.note: 0:x commonAnnotations
  spec.paused: 1:web/own.yaml
  spec.replicas: 0:x replicas
  spec.revisionHistoryLimit: 0:x patches
  spec.template.metadata.annotations: 0:x commonAnnotations
  spec.template.spec.containers.0.image: 0:x images
`},
		"a component without an effect on the second object": {
			"resources: [BASE, map.yaml]\ncomponents: [../component]\n",
			`ConfigMap web: 0:x/map.yaml
Deployment web: 1:web/web.yaml
  spec.template.spec.containers.0: 0:component/add.yaml
  spec.template.spec.containers.1.tty: 0:component/add.yaml
  spec.paused: 1:web/own.yaml
`},
		"generated objects": {
			`configMapGenerator: [{name: a, literals: [b=c]}]
secretGenerator: [{name: s, literals: [b=c]}]
namePrefix: p-
`,
			"ConfigMap a: 0:x configMapGenerator\n  metadata.name: 0:x namePrefix\n" +
				"Secret s: 0:x secretGenerator\n  metadata.name: 0:x namePrefix\n"},
		"an object that a generator merges": {
			`resources: [../generated]
configMapGenerator: [{name: a, behavior: merge, literals: [b=own, c=d], options: {labels: {e: f}}}]
namePrefix: p-
`,
			`ConfigMap a: 0:generated configMapGenerator
  metadata.name: 0:x namePrefix
  metadata.labels.e: 0:x configMapGenerator
  data.b: 0:x configMapGenerator
  data.c: 0:x configMapGenerator
`},
		"a generator in a file": {
			"generators: [made.yaml]\n", "ConfigMap made: 0:x/made.yaml\n"},
		"a patch that deletes an object": {
			`resources: [BASE, map.yaml]
patches:
  - patch: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, $patch: delete}"
  - {target: {kind: ConfigMap}, patch: "- {op: add, path: /data, value: {a: b}}"}
`,
			"ConfigMap web: 0:x/map.yaml\n  data: 0:x patches\n"},
		"a patch that replaces annotations": {
			`resources: [BASE]
patches:
  - target: {kind: Deployment}
    patch: '[{"op": "add", "path": "/metadata/annotations", "value": {"b": "c"}}]'
namePrefix: p-
`,
			`Deployment web: 1:web/web.yaml
  metadata.name: 0:x namePrefix
  metadata.annotations.b: 0:x patches
  spec.paused: 1:web/own.yaml
`},
		"a transformer of its own": {
			`resources: [map.yaml]
transformers:
  - |
    apiVersion: builtin
    kind: PrefixTransformer
    metadata: {name: p}
    prefix: p-
    fieldSpecs: [{path: metadata/name}]
`,
			"ConfigMap web: 0:x/map.yaml\n  metadata.name: 0:x transformers\n"},
		"annotations that the user asks for": {
			annotated + "resources: [map.yaml]\nnamePrefix: p-\n",
			"ConfigMap web: 0:x/map.yaml\n  metadata.name: 0:x namePrefix\n"},
		"old fields of patches": {
			`resources: [map.yaml]
patchesStrategicMerge: [old.yaml]
patchesJson6902:
  - {target: {version: v1, kind: ConfigMap, name: web}, path: ops.yaml}
`,
			"ConfigMap web: 0:x/map.yaml\n  data: 0:x/old.yaml\n  data.b: 0:x/ops.yaml\n"},
	} {
		t.Run(name, func(t *testing.T) {
			tree := source.Memory{{
				"x/kustomization.yaml":         strings.ReplaceAll(test.overlay, "BASE", "'"+address+"'"),
				"x/map.yaml":                   configMap,
				"x/old.yaml":                   configMap + "data: {a: b}\n",
				"x/ops.yaml":                   `[{"op": "add", "path": "/data/b", "value": "c"}]`,
				"x/replicas.yaml":              "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n",
				"component/kustomization.yaml": component,
				"generated/kustomization.yaml": "configMapGenerator: [{name: a, literals: [a=b, b=c]}]",
				"x/made.yaml":                  "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: made}\nliterals: [a=b]\n",
				"component/add.yaml":           "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: any}\n" + container,
			}, base}
			if shown := renderOrigins(t, tree, "x", address); shown != test.expected {
				t.Errorf("got:\n%s\nnot:\n%s", shown, test.expected)
			}
		})
	}
}

func TestOriginsChangeNoDocument(t *testing.T) {
	for _, each := range cases.Read(t, "kustomize") {
		t.Run(filepath.Base(each.Folder), func(t *testing.T) {
			tree := source.Directory{filepath.Join(each.Folder, "files")}
			renderOrigins(t, tree, each.Directory)
		})
	}
}

func TestFollowsOneBuildOnly(t *testing.T) {
	// A build that ends with an error must leave no transformer behind.
	failing := source.Memory{{"kustomization.yaml": "resources: [map.yaml]\npatches: [{path: none.yaml}]\n", "map.yaml": configMap}}
	request := kustomize.Request{Directory: ".", Mark: mark, Origins: true}
	if _, err := kustomize.Render(failing, request); err == nil {
		t.Fatal("no error")
	}
	tree := source.Memory{{"kustomization.yaml": "resources: [map.yaml]\nnamePrefix: p-\n", "map.yaml": configMap}}
	for range 2 {
		if shown := renderOrigins(t, tree, "."); strings.Count(shown, "metadata.name") != 1 {
			t.Errorf("got: %s", shown)
		}
	}
}
