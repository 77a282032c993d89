package kustomize_test

import (
	"path/filepath"
	"testing"

	"qvs/host/source"
	"qvs/render/cases"
	"qvs/render/kustomize"
)

func TestBuildsEqualKustomize(t *testing.T) {
	for _, each := range cases.Read(t, "kustomize") {
		t.Run(filepath.Base(each.Folder), func(t *testing.T) {
			tree := source.Directory{filepath.Join(each.Folder, "files")}
			built, err := kustomize.Render(tree, kustomize.Request{Directory: each.Directory})
			if err != nil {
				t.Fatal(err)
			}
			if expected, _ := each.Text(t, "expected.yaml"); built.Documents != expected {
				t.Errorf("got:\n%s", built.Documents)
			}
		})
	}
}
