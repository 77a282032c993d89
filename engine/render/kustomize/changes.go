package kustomize

import (
	"maps"
	"path"
	"slices"
	"strings"
	_ "unsafe" // go:linkname

	"sigs.k8s.io/kustomize/api/ifc"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

// plugins are the constructors of Kustomize's built-in transformers by their type, which is an
// integer. Kustomize has no hook for the changes of a transformer: its own annotations list each
// transformer that ran, also without effect. A renamed variable is an error of the linker.
//
//go:linkname plugins sigs.k8s.io/kustomize/api/internal/plugins/builtinhelpers.TransformerFactories
var plugins map[int]func() resmap.TransformerPlugin

// makers are the constructors of the built-in generators.
//
//go:linkname makers sigs.k8s.io/kustomize/api/internal/plugins/builtinhelpers.GeneratorFactories
var makers map[int]func() resmap.GeneratorPlugin

// changes follows the objects of one build through its transformers.
type changes struct {
	bases *bases
	// sources are the places that change objects, each once.
	sources []Source
	objects map[*resource.Resource]*tracked
}

// follow returns nil unless the request asks for origins.
func follow(b *bases) *changes {
	if !b.findsOrigins {
		return nil
	}
	return &changes{bases: b, objects: map[*resource.Resource]*tracked{}}
}

// tracked is an object with the origin of each part.
type tracked struct {
	// origin, kind and name are those before the first transformer.
	origin     *resource.Origin
	kind, name string
	content    *part
	// isSeen is set after a transformer, or the end of the build, has seen the object.
	isSeen bool
}

// build wraps all transformers and generators while a build runs.
func (c *changes) build(run func() (resmap.ResMap, error)) (resmap.ResMap, error) {
	if c == nil {
		return run()
	}
	own := maps.Clone(plugins)
	defer maps.Copy(plugins, own)
	for number, create := range own {
		plugins[number] = func() resmap.TransformerPlugin { return &watched{create(), c, nil} }
	}
	generators := maps.Clone(makers)
	defer maps.Copy(makers, generators)
	for number, create := range generators {
		makers[number] = func() resmap.GeneratorPlugin { return &generator{create(), c, nil} }
	}
	return run()
}

// generator is a generator that records its objects. If Kustomize merges an earlier object into one
// of them, the other fields keep the origin of that object.
type generator struct {
	resmap.GeneratorPlugin
	changes *changes
	// source is nil if the generator creates objects.
	source *Source
}

func (g *generator) Config(helpers *resmap.PluginHelpers, config []byte) error {
	g.source = g.changes.bases.mergingSource(helpers.Loader(), config)
	return g.GeneratorPlugin.Config(helpers, config)
}

func (g *generator) Generate() (resmap.ResMap, error) {
	objects, err := g.GeneratorPlugin.Generate()
	if err != nil || objects == nil {
		return objects, err
	}
	for _, object := range objects.Resources() {
		if object.IsNilOrEmpty() {
			continue
		}
		known := &tracked{kind: object.GetKind(), name: object.GetName()}
		known.content = known.content.update(object.YNode(), inherited)
		g.changes.objects[object] = known
		if g.source == nil {
			continue
		}
		source := *g.source
		if source.Field == "" {
			source.Field = generatorFields[object.GetKind()+"Generator"]
		}
		by := g.changes.number(&source)
		known.content.mark(by, "data", "binaryData", "type", "immutable")
		known.content.at(known.content.index("metadata", 0)).mark(by, "labels", "annotations")
	}
	return objects, nil
}

// watched is a transformer that records its changes.
type watched struct {
	resmap.TransformerPlugin
	changes *changes
	source  *Source
}

func (w *watched) Config(helpers *resmap.PluginHelpers, config []byte) error {
	w.source = w.changes.bases.source(helpers.Loader(), config)
	return w.TransformerPlugin.Config(helpers, config)
}

func (w *watched) Transform(objects resmap.ResMap) error {
	for _, object := range objects.Resources() {
		if err := w.changes.prepare(object); err != nil {
			return err
		}
	}
	if err := w.TransformerPlugin.Transform(objects); err != nil {
		return err
	}
	by := w.changes.number(w.source)
	for _, object := range objects.Resources() {
		if err := w.changes.update(object, by); err != nil {
			return err
		}
	}
	return nil
}

// prepare records the first state of an object. Only transformers change it later, and Kustomize
// itself at the end.
func (c *changes) prepare(object *resource.Resource) error {
	if object.IsNilOrEmpty() {
		return nil
	}
	// Without it, the list grows with each transformer, and Kustomize reads it for each one.
	if !c.bases.annotatesTransformers {
		removeKey(object.YNode(), "metadata", "annotations", transformations)
	}
	if known := c.objects[object]; known != nil && known.isSeen {
		return nil
	}
	return c.update(object, inherited)
}

// update compares an object with its last state. `by` is the source of the differences.
func (c *changes) update(object *resource.Resource, by int) error {
	// A patch has deleted the object, and Kustomize removes it after the transformer.
	if object.IsNilOrEmpty() {
		return nil
	}
	known := c.objects[object]
	if known == nil {
		known = &tracked{kind: object.GetKind(), name: object.GetName()}
		c.objects[object] = known
	}
	if !known.isSeen {
		origin, err := object.GetOrigin()
		if err != nil {
			return err
		}
		known.origin, known.isSeen = origin, true
	}
	known.content = known.content.update(object.YNode(), by)
	return nil
}

// removeKey removes the last key of a path from an object.
func removeKey(node *kyaml.Node, key string, below ...string) {
	for i := 0; node.Kind == kyaml.MappingNode && i+1 < len(node.Content); i += 2 {
		switch {
		case node.Content[i].Value != key:
		case len(below) == 0:
			node.Content = slices.Delete(node.Content, i, i+2)
			return
		default:
			removeKey(node.Content[i+1], below[0], below[1:]...)
			return
		}
	}
}

// number returns the number of a source. It returns `inherited` for an unknown one.
func (c *changes) number(source *Source) int {
	if source == nil {
		return inherited
	}
	for number, each := range c.sources {
		if each == *source {
			return number
		}
	}
	c.sources = append(c.sources, *source)
	return len(c.sources) - 1
}

// transformerFields are the fields of a kustomization, by a key that the configuration of their
// transformer has. The first one counts.
var transformerFields = []struct{ key, field string }{
	{"replacements", "replacements"}, {"imageTag", "images"}, {"replica", "replicas"},
	{"prefix", "namePrefix"}, {"suffix", "nameSuffix"}, {"annotations", "commonAnnotations"},
	{"labels", "labels"}, {"paths", "patchesStrategicMerge"}, {"jsonOp", "patchesJson6902"},
	{"patch", "patches"}, {"target", "patches"}, {"metadata", "namespace"},
}

// source returns the place that configures a transformer: the file of a patch, or the field of the
// kustomization. It returns nil for a place outside of all roots.
func (b *bases) source(loader ifc.Loader, config []byte) *Source {
	var given map[string]any
	if yaml.Unmarshal(config, &given) != nil {
		return nil
	}
	at, ok := b.locate(clean(loader.Root()))
	if !ok {
		return nil
	}
	if patch, ok := patchFile(given); ok {
		found, ok := b.locate(clean(path.Join(loader.Root(), patch)))
		if !ok {
			return nil
		}
		return &Source{Root: found.root, Path: found.path}
	}
	return &Source{Root: at.root, Path: at.path, Field: fieldOf(given)}
}

func fieldOf(config map[string]any) string {
	if isObject(config) {
		return "transformers"
	}
	for _, each := range transformerFields {
		if hasKey(config, each.key) {
			return each.field
		}
	}
	return ""
}

// mergingSource returns the place of a generator that changes an earlier object, or nil.
func (b *bases) mergingSource(loader ifc.Loader, config []byte) *Source {
	var given map[string]any
	at, ok := b.locate(clean(loader.Root()))
	if yaml.Unmarshal(config, &given) != nil || !ok {
		return nil
	}
	if behavior := given["behavior"]; behavior != "merge" && behavior != "replace" {
		return nil
	}
	source := &Source{Root: at.root, Path: at.path}
	if isObject(given) {
		source.Field = "generators"
	}
	return source
}

// isObject reports whether a configuration is an object of its own, and not a part of a
// kustomization.
func isObject(config map[string]any) bool {
	_, ok := config["kind"].(string)
	return ok
}

// patchFile returns the file of a patch. Several files in one transformer have no single place.
func patchFile(config map[string]any) (string, bool) {
	if file, ok := config["path"].(string); ok && file != "" {
		return file, true
	}
	if paths, ok := config["paths"].([]any); ok && len(paths) == 1 {
		file, ok := paths[0].(string)
		return file, ok && !strings.ContainsAny(file, "\n:{")
	}
	return "", false
}

// hasKey ignores case: some types of Kustomize have no names for YAML.
func hasKey(config map[string]any, key string) bool {
	for name := range config {
		if strings.EqualFold(name, key) {
			return true
		}
	}
	return false
}
