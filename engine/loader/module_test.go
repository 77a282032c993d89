package loader_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"qvs/engine/loader"
	"qvs/host/source"
)

func TestLanguageVersions(t *testing.T) {
	for version, want := range map[string]string{
		"v0.12.0":        "",
		"v0.17.1":        "",
		"v0.18.0":        `the language version v0.18.0 is newer than v0.17.0`,
		"v1.0.0":         `the language version v1.0.0 is newer than v0.17.0`,
		"v0.13.0-rc.1":   "",
		"latest":         `"latest" is no language version`,
		"0.12.0":         `"0.12.0" is no language version`,
		"v0":             `"v0" is no language version`,
		"v0.12.0\\nx: 1": `"v0.12.0\nx: 1" is no language version`,
	} {
		text := "module: \"a.example/m\"\nlanguage: version: \"" + version + "\"\n"
		tree := source.Memory{{"cue.mod/module.cue": text}}
		_, err := loader.ReadModule(tree, 0, "", "")
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s:\ngot:  %s\nwant: %s", version, got, want)
		}
	}
}

func TestNewestLanguageEqualsTheVersionInGoMod(t *testing.T) {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	required := regexp.MustCompile(`cuelang\.org/go (v\d+\.\d+)\.`).FindSubmatch(text)
	tree := source.Memory{{"cue.mod/module.cue": "module: \"a.example/m\"\nlanguage: version: \"v99.0.0\"\n"}}
	_, loadErr := loader.ReadModule(tree, 0, "", "")
	if loadErr == nil || !strings.HasSuffix(loadErr.Error(), "newer than "+string(required[1])+".0") {
		t.Errorf("go.mod requires CUE %s, and the loader returns: %v", required[1], loadErr)
	}
}
