// Package cases reads charts and overlays with the output of the real tools, for tests.
package cases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Variable is the environment variable with the directory of the cases.
const Variable = "QVS_INPUTS"

// Case is one input with the outputs of the real tool.
type Case struct {
	Folder      string
	Kind        string   `json:"kind"`
	Directory   string   `json:"directory"`
	Release     string   `json:"release"`
	Namespace   string   `json:"namespace"`
	KubeVersion string   `json:"kubeVersion"`
	APIVersions []string `json:"apiVersions"`
	IncludeCRDs bool     `json:"includeCrds"`
	// Results contains a Result for each output of a chart, and other content for an overlay.
	Results map[string]json.RawMessage `json:"results"`
}

// Differs returns the places of a chart's output that differ at random.
func (c Case) Differs(t *testing.T, name string) []string {
	t.Helper()
	var result Result
	if err := json.Unmarshal(c.Results[name], &result); err != nil {
		t.Fatal(err)
	}
	return result.Differs
}

// Result contains the places of an output that differ at random.
type Result struct {
	Differs []string `json:"differs"`
}

// directory is read before any rendering, because a rendering clears the environment.
var directory = os.Getenv(Variable)

// Read returns the cases of a kind. It skips the test if there are none.
func Read(t *testing.T, kind string) []Case {
	t.Helper()
	if directory == "" {
		t.Skipf("%s names no directory with cases", Variable)
	}
	files, err := filepath.Glob(filepath.Join(directory, "cases", "*", "case.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no cases", directory)
	}
	var found []Case
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read := Case{Folder: filepath.Dir(file)}
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if read.Kind == kind {
			found = append(found, read)
		}
	}
	return found
}

// Text reads a file of the case. It returns false if there is none.
func (c Case) Text(t *testing.T, name string) (string, bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.Folder, name))
	if os.IsNotExist(err) {
		return "", false
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text), true
}
