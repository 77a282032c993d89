// Command pulumi-yaml reads Pulumi programs with Pulumi's own parser and prints what it finds wrong, one line each as
// `file: problem`. Types need the plugin of their provider and are not checked.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi-yaml/pkg/pulumiyaml"
	"github.com/pulumi/pulumi-yaml/pkg/pulumiyaml/syntax"
)

func main() {
	for _, file := range os.Args[1:] {
		for _, problem := range check(file) {
			fmt.Printf("%s: %s\n", file, problem)
		}
	}
}

func check(file string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		return []string{err.Error()}
	}
	template, diagnostics, err := pulumiyaml.LoadYAMLBytes(file, text)
	if err != nil {
		return []string{err.Error()}
	}
	problems := texts(diagnostics)
	if len(problems) > 0 {
		return problems
	}
	_, diagnostics, err = pulumiyaml.PrepareTemplate(template, nil, noPlugins{})
	if err != nil {
		return []string{err.Error()}
	}
	return texts(diagnostics)
}

func texts(diagnostics syntax.Diagnostics) []string {
	var problems []string
	for _, diagnostic := range diagnostics {
		text := diagnostic.HCL().Summary
		if !strings.Contains(text, errNoPlugins.Error()) {
			problems = append(problems, text)
		}
	}
	return problems
}

var errNoPlugins = fmt.Errorf("no plugins here")

// noPlugins stands for the providers, which say what types there are.
type noPlugins struct{}

func (noPlugins) LoadPackage(string, *semver.Version) (pulumiyaml.Package, error) {
	return nil, errNoPlugins
}

func (noPlugins) Close() {}
