package helm

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/ignore"

	"qvs/host/source"
	"qvs/render/limits"
	"qvs/render/problem"
)

var byteOrderMark = []byte{0xEF, 0xBB, 0xBF}

// load reads a chart as Helm's own loaders do: a directory with its .helmignore, or an archive.
func load(tree source.Tree, name string) (*chart.Chart, error) {
	archive.MaxDecompressedChartSize = limits.Archive
	loaded, err := read(tree, path.Clean(name))
	if err != nil {
		return nil, err
	}
	if version := loaded.Metadata.APIVersion; version != chart.APIVersionV1 && version != chart.APIVersionV2 {
		return nil, errors.New("invalid chart apiVersion")
	}
	if loaded.Metadata.Type != "" && loaded.Metadata.Type != "application" {
		return nil, fmt.Errorf("%s charts are not installable", loaded.Metadata.Type)
	}
	return loaded, missingDependencies(loaded)
}

func read(tree source.Tree, name string) (*chart.Chart, error) {
	if strings.HasSuffix(name, ".tgz") {
		text, err := tree.Read(0, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return loader.LoadArchive(bytes.NewReader(text))
	}
	found := directory{tree: tree, root: name}
	if err := found.read(); err != nil {
		return nil, err
	}
	return loader.LoadFiles(found.files)
}

// directory collects the files of a chart.
type directory struct {
	tree  source.Tree
	root  string
	rules *ignore.Rules
	files []*archive.BufferedFile
	size  int
}

func (d *directory) read() error {
	d.rules = ignore.Empty()
	if text, err := d.tree.Read(0, path.Join(d.root, ignore.HelmIgnore)); err == nil {
		rules, err := ignore.Parse(bytes.NewReader(text))
		if err != nil {
			return err
		}
		d.rules = rules
	}
	d.rules.AddDefaults()
	return d.walk("", 0)
}

// maxDepth is deeper than any chart. A link to a parent directory would never end.
const maxDepth = 40

func (d *directory) walk(below string, depth int) error {
	if depth > maxDepth {
		return problem.New(problem.Limit, "%s: more than %d directories in each other", d.root, maxDepth)
	}
	for _, each := range d.tree.Entries(0, path.Join(d.root, below)) {
		name := path.Join(below, each.Name)
		if d.rules.Ignore(name, info{each}) {
			continue
		}
		if each.IsDir {
			if err := d.walk(name, depth+1); err != nil {
				return err
			}
			continue
		}
		text, err := d.tree.Read(0, path.Join(d.root, name))
		if err != nil {
			return fmt.Errorf("error reading %s: %w", path.Join(d.root, name), err)
		}
		if d.size += len(text); d.size > limits.Archive {
			return problem.New(problem.Limit, "%s: the chart is larger than %d MiB", d.root, limits.Archive>>20)
		}
		text = bytes.TrimPrefix(text, byteOrderMark)
		d.files = append(d.files, &archive.BufferedFile{Name: name, Data: text})
	}
	return nil
}

// missingDependencies is the check of `helm template` before the rendering.
func missingDependencies(loaded *chart.Chart) error {
	present := map[string]bool{}
	for _, each := range loaded.Dependencies() {
		present[each.Name()] = true
	}
	var missing []string
	for _, each := range loaded.Metadata.Dependencies {
		if !present[each.Name] {
			missing = append(missing, each.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("found in Chart.yaml, but missing in charts/ directory: %s", strings.Join(missing, ", "))
}

// info contains the facts about a file that the rules of .helmignore need.
type info struct{ entry source.Entry }

func (i info) Name() string       { return i.entry.Name }
func (i info) Size() int64        { return 0 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.entry.IsDir }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.entry.IsDir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}
