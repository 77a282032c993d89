package loader_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/load"
	"cuelang.org/go/cue/parser"

	"qvs/engine/loader"
	"qvs/engine/oldlists"
	"qvs/host/source"
)

// TestSameAsCueLoad loads every package of a repository of real adapters twice, with cue/load and
// with our loader. A package is a directory outside of cue.mod together with the name in a package
// clause of one of its files. The packages vendored in cue.mod are compared as dependencies of
// those.
func TestSameAsCueLoad(t *testing.T) {
	corpus := os.Getenv("QVS_CORPUS")
	if corpus == "" {
		t.Skip("QVS_CORPUS isn't set: set it to the directory with official-cloud-native-adapters")
	}
	root := filepath.Join(corpus, "official-cloud-native-adapters")
	packages := packagesBelow(t, root)
	if len(packages) < corpusPackages {
		t.Fatalf("%s has %d packages, but there were %d", root, len(packages), corpusPackages)
	}
	differences := 0
	compared := map[string]bool{}
	for _, pkg := range packages {
		theirs, ours := byCueLoad(t, root, pkg, false), byOurs(t, root, pkg, false)
		written := compare(filesAndSyntax(theirs, compared), filesAndSyntax(ours, compared))
		for _, each := range append(theirs.Dependencies(), theirs) {
			compared[plainPath(each)] = true
		}
		evaluated := compare(result(byCueLoad(t, root, pkg, true)), result(byOurs(t, root, pkg, true)))
		if difference := written + evaluated; difference != "" {
			differences++
			t.Errorf("%s:\n%s", pkg, difference)
		}
	}
	fmt.Printf("%d packages, %d differences\n", len(packages), differences)
}

// corpusPackages is how many packages the corpus had when this was written: fewer would prove less.
const corpusPackages = 130

// packagesBelow returns relative import paths such as ./types:gcp.
func packagesBelow(t *testing.T, root string) []string {
	t.Helper()
	var packages []string
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "cue.mod" {
			return fs.SkipDir
		}
		if path.Ext(file) != ".cue" {
			return nil
		}
		syntax, err := parser.ParseFile(filepath.Join(root, file), nil, parser.PackageClauseOnly)
		if err == nil && syntax.PackageName() != "" {
			packages = append(packages, "./"+path.Dir(file)+":"+syntax.PackageName())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}

// byCueLoad parses as our loader does when `modern`: cue/load itself keeps list arithmetic, which
// no longer evaluates. cue/load rejects imports within a module without a language version, so the
// module gets the version that such modules had.
func byCueLoad(t *testing.T, root, pkg string, modern bool) *build.Instance {
	t.Helper()
	moduleFile := filepath.Join(root, "cue.mod", "module.cue")
	text, err := os.ReadFile(moduleFile)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "language") {
		text = append(text, "\nlanguage: version: \"v0.9.0\"\n"...)
	}
	overlay := map[string]load.Source{moduleFile: load.FromBytes(text)}
	config := &load.Config{Dir: root, Overlay: overlay}
	if modern {
		config.ParseFile = func(name string, src any, cfg parser.Config) (*ast.File, error) {
			file, err := parser.ParseFile(name, src, cfg)
			if err == nil {
				oldlists.Modernize(file, nil)
			}
			return file, err
		}
	}
	return load.Instances([]string{pkg}, config)[0]
}

func byOurs(t *testing.T, root, pkg string, modern bool) *build.Instance {
	t.Helper()
	tree := source.Directory{root}
	module, err := loader.ReadModule(tree, 0, "", root+"/")
	if err != nil {
		t.Fatal(err)
	}
	ours := loader.New(tree, []*loader.Module{module})
	if !modern {
		ours.KeepAsWritten()
	}
	return ours.Load(path.Join(module.Path, strings.TrimPrefix(pkg, "./")))
}

// filesAndSyntax lists the parts of a package and its imports. The text of a package in `compared`
// is left out: many adapters import the same large packages.
func filesAndSyntax(instance *build.Instance, compared map[string]bool) map[string]string {
	texts := map[string]string{"error": errors.Details(instance.Err, nil)}
	for _, pkg := range append(instance.Dependencies(), instance) {
		for number, file := range pkg.Files {
			// The order of the files decides the order of the fields.
			name := fmt.Sprintf("%s file %d: %s", plainPath(pkg), number, file.Filename)
			if compared[plainPath(pkg)] {
				texts[name] = "compared before"
				continue
			}
			text, err := format.Node(file)
			texts[name] = fmt.Sprint(string(text), err)
		}
	}
	return texts
}

func plainPath(pkg *build.Instance) string {
	return ast.ParseImportPath(pkg.ImportPath).Path + ":" + pkg.PkgName
}

// result is the JSON of a package that is concrete; otherwise its errors, and the JSON of its
// concrete fields.
func result(instance *build.Instance) map[string]string {
	value := cuecontext.New().BuildInstance(instance)
	results := map[string]string{
		"errors": errors.Details(value.Validate(cue.Concrete(true), cue.Final()), nil),
		"value":  fmt.Sprint(value),
	}
	fields, err := value.Fields(cue.All())
	if err != nil {
		results["fields"] = err.Error()
		return results
	}
	for fields.Next() {
		text, err := json.Marshal(fields.Value())
		results[fields.Selector().String()] = fmt.Sprint(string(text), err)
	}
	return results
}

func compare(want, got map[string]string) string {
	var differences strings.Builder
	for key := range want {
		if want[key] != got[key] {
			fmt.Fprintf(&differences, "%s\n  cue/load: %.2000s\n  ours:     %.2000s\n", key, want[key], got[key])
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			fmt.Fprintf(&differences, "%s: only ours\n", key)
		}
	}
	return differences.String()
}
