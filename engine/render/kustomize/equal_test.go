package kustomize_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"qvs/host/source"
)

// searchPath is read before any rendering, because a rendering clears the environment.
var searchPath = os.Getenv("PATH")

const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web:1, envFrom: [{configMapRef: {name: settings}}]}]}
`

// shared and other are the files of two repositories. SHARED in a file is the address of the first.
var shared = map[string]string{
	"base/kustomization.yaml": `resources: [web.yaml, ../common/labels]
configMapGenerator: [{name: settings, files: [mode.conf], literals: [a=b]}]
`,
	"base/web.yaml":  web,
	"base/mode.conf": "fast\n",
	"common/labels/kustomization.yml": "resources: [map.yaml]\n" +
		"commonLabels: {team: shop}\n",
	"common/labels/map.yaml": configMap,
	"component/kustomization.yaml": `apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches: [{path: patch.yaml, target: {kind: Deployment}}]
`,
	"component/patch.yaml": "- {op: add, path: /spec/replicas, value: 12345678901}\n",
	"Kustomization":        "namespace: root\nresources: [base]\n",
	"prefix/kustomization.yaml": `apiVersion: builtin
kind: PrefixSuffixTransformer
`,
	"transformers/kustomization.yaml": "resources: [prefix.yaml]\n",
	"odd..name/kustomization.yaml":    "resources: [../common/labels]\nnamePrefix: o-\n",
	"generators/kustomization.yaml":   "resources: [more.yaml]\n",
	"generators/more.yaml": `apiVersion: builtin
kind: ConfigMapGenerator
metadata: {name: more}
literals: [a=b]
`,
	"transformers/prefix.yaml": `apiVersion: builtin
kind: PrefixSuffixTransformer
metadata: {name: prefix}
prefix: p-
fieldSpecs: [{path: metadata/name}]
`,
}

var other = map[string]string{
	"web/kustomization.yaml": "resources: ['SHARED//base?ref=v1', '../more']\nnameSuffix: -x\n",
	"more/kustomization.yaml": `secretGenerator: [{name: more, literals: [c=d], options: {labels: {size: "1"}}}]
`,
}

// annotated asks for the origin of objects.
const annotated = "buildMetadata: [originAnnotations, transformerAnnotations]\n"

// TestEqualsKustomizeWithGit compares with Kustomize's own clone of real repositories.
func TestEqualsKustomizeWithGit(t *testing.T) {
	sharedAddress := "file://" + createRepository(t, shared, "")
	otherAddress := "file://" + createRepository(t, other, sharedAddress)
	for name, text := range map[string]string{
		"a base":           "resources: ['SHARED//base?ref=v1']\n",
		"a root":           "resources: ['SHARED?ref=v1']\n",
		"a base of a base": "namePrefix: n-\nresources: ['OTHER//web?ref=v1']\n",
		"a component": "resources: ['SHARED//base?ref=v1']\n" +
			"components: ['SHARED//component?ref=v1']\nnamespace: a\n",
		"a name with dots": "resources: ['SHARED//odd..name?ref=v1']\n",
		"a prefix of Git":  "resources: ['git::SHARED//base?ref=v1&timeout=60']\n",
		"a base twice":     "resources: ['SHARED//base?ref=v1', 'SHARED//odd..name?ref=v1']\n",
		"an old field":     "bases: ['SHARED//base?ref=v1']\nimages: [{name: web, newTag: '2'}]\n",
		"a transformer":    "resources: ['SHARED//base?ref=v1']\ntransformers: ['SHARED//transformers?ref=v1']\n",
		"a kustomization as data": "resources: ['SHARED//base?ref=v1']\n" +
			"configMapGenerator: [{name: own, files: [kustomization.yaml]}]\n",
		"a kustomization as data of a generator": "resources: ['SHARED//base?ref=v1']\n" +
			"generators:\n  - |\n    apiVersion: builtin\n    kind: ConfigMapGenerator\n" +
			"    metadata: {name: own}\n    files: [kustomization.yaml]\n",
		"all fields": `resources: ['SHARED//base?ref=v1']
commonAnnotations: {note: "yes", number: "0123"}
labels: [{pairs: {tier: front}, includeSelectors: true, includeTemplates: true}]
replicas: [{name: web, count: 3}]
generatorOptions: {disableNameSuffixHash: true, immutable: true}
configMapGenerator: [{name: settings, behavior: merge, literals: ["big=123456789012345678901234567890"]}]
patches:
  - target: {kind: Deployment, name: web, labelSelector: app=web}
    options: {allowNameChange: true}
    patch: |-
      - {op: replace, path: /metadata/name, value: site}
replacements:
  - source: {kind: ConfigMap, name: settings, fieldPath: data.a}
    targets: [{select: {kind: Deployment}, fieldPaths: ["metadata.annotations.from"], options: {create: true}}]
vars: [{name: WEB, objref: {kind: Deployment, name: web, apiVersion: apps/v1}}]
sortOptions: {order: legacy, legacySortOptions: {orderFirst: [Deployment]}}
buildMetadata: [managedByLabel]
openapi: {version: v1.21.2}
`,
		"annotations of a base":           annotated + "resources: ['SHARED//base?ref=v1']\nnamePrefix: n-\n",
		"annotations of a root":           annotated + "resources: ['SHARED?ref=v1']\n",
		"annotations of a base of a base": annotated + "resources: ['OTHER//web?ref=v1']\nnameSuffix: -s\n",
		"annotations of a component": annotated + "resources: ['SHARED//base?ref=v1']\n" +
			"components: ['SHARED//component?ref=v1']\n",
		"annotations of a name with dots": annotated + "resources: ['SHARED//odd..name?ref=v1']\n",
		"annotations of transformers": annotated + "resources: ['SHARED//base?ref=v1']\n" +
			"transformers: ['SHARED//transformers?ref=v1']\n",
		"annotations of generators": annotated + "resources: ['SHARED//base?ref=v1']\n" +
			"generators: ['SHARED//generators?ref=v1']\n",
		"annotations of a prefix of Git": annotated + "resources: ['git::SHARED//base/?ref=v1']\n",
		"annotations of origins only": "buildMetadata: [originAnnotations]\nresources: ['OTHER//web?ref=v1']\n" +
			"configMapGenerator: [{name: own, literals: [a=b]}]\ncommonLabels: {own: a}\n",
		"annotations of transformers only": "buildMetadata: [transformerAnnotations]\n" +
			"resources: ['OTHER//web?ref=v1']\n" +
			"configMapGenerator: [{name: own, literals: [a=b]}]\ncommonLabels: {own: a}\n",
	} {
		t.Run(name, func(t *testing.T) {
			address := strings.NewReplacer("SHARED", sharedAddress, "OTHER", otherAddress)
			overlay := address.Replace(text)
			expected := buildWithGit(t, overlay)
			tree := source.Memory{{"kustomization.yaml": overlay}}
			var addresses []string
			for range 10 {
				built, problem := render(t, tree, addresses...)
				if problem != "" {
					t.Fatal(problem)
				}
				for _, each := range built.Missing {
					files := shared
					if each.Repository == otherAddress {
						files = replaced(other, sharedAddress)
					}
					addresses, tree = append(addresses, each.Address), append(tree, files)
				}
				if len(built.Missing) > 0 {
					continue
				}
				if built.Documents != expected {
					t.Errorf("got:\n%s\nnot:\n%s", built.Documents, expected)
				}
				return
			}
			t.Error("more and more bases are missing")
		})
	}
}

func replaced(files map[string]string, address string) map[string]string {
	result := map[string]string{}
	for name, text := range files {
		result[name] = strings.ReplaceAll(text, "SHARED", address)
	}
	return result
}

func createRepository(t *testing.T, files map[string]string, address string) string {
	t.Helper()
	directory := t.TempDir()
	for name, text := range replaced(files, address) {
		file := filepath.Join(directory, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", searchPath)
	for _, arguments := range [][]string{
		{"init", "--quiet"}, {"add", "--all"},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "x"},
		{"tag", "v1"},
	} {
		command := exec.Command("git", arguments...)
		command.Dir = directory
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
	}
	return directory
}

// buildWithGit builds with Kustomize from disk, which clones the bases.
func buildWithGit(t *testing.T, overlay string) string {
	t.Helper()
	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "kustomization.yaml"), []byte(overlay), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", searchPath)
	t.Setenv("TMPDIR", t.TempDir())
	options := &krusty.Options{
		Reorder:          krusty.ReorderOptionUnspecified,
		LoadRestrictions: types.LoadRestrictionsRootOnly,
		PluginConfig:     types.DisabledPluginConfig(),
	}
	resources, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), directory)
	if err != nil {
		t.Fatal(err)
	}
	text, err := resources.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
