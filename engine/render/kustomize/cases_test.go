package kustomize_test

import (
	"encoding/json"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/types"

	"qvs/host/source"
	"qvs/render/cases"
	"qvs/render/kustomize"
)

func TestBuildsEqualKustomize(t *testing.T) {
	for _, each := range cases.Read(t, "kustomize") {
		t.Run(filepath.Base(each.Folder), func(t *testing.T) {
			tree := source.Directory{filepath.Join(each.Folder, "files")}
			built, err := kustomize.Render(tree, kustomize.Request{Directory: each.Directory, Mark: mark})
			if err != nil {
				t.Fatal(err)
			}
			if expected, _ := each.Text(t, "expected.yaml"); built.Documents != expected {
				t.Errorf("got:\n%s", built.Documents)
			}
		})
	}
}

// encoded is a tree whose kustomizations are decoded and encoded, as those that name a remote base.
type encoded struct{ source.Directory }

func (e encoded) Read(root int, file string) ([]byte, error) {
	text, err := e.Directory.Read(root, file)
	var k types.Kustomization
	if err != nil || !strings.HasPrefix(path.Base(file), "kustomization.") || k.Unmarshal(text) != nil {
		return text, err
	}
	return json.Marshal(k)
}

func TestEncodedKustomizationsBuildTheSame(t *testing.T) {
	for _, each := range cases.Read(t, "kustomize") {
		t.Run(filepath.Base(each.Folder), func(t *testing.T) {
			tree := encoded{source.Directory{filepath.Join(each.Folder, "files")}}
			built, err := kustomize.Render(tree, kustomize.Request{Directory: each.Directory, Mark: mark})
			if err != nil {
				t.Fatal(err)
			}
			if expected, _ := each.Text(t, "expected.yaml"); built.Documents != expected {
				t.Errorf("got:\n%s", built.Documents)
			}
		})
	}
}
