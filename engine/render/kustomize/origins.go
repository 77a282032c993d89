package kustomize

import (
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
)

// Origins are the files that the documents of a build come from.
type Origins struct {
	// Sources are the places that change objects.
	Sources []Source `json:"sources"`
	// Documents has an origin for each document, in the same order.
	Documents []Origin `json:"documents"`
}

// Source is a file, or a field of the kustomization in a directory.
type Source struct {
	// Root is 0 for the repository and from 1 for the bases of the request.
	Root int    `json:"root"`
	Path string `json:"path"`
	// Field is the field of the kustomization; empty for a file.
	Field string `json:"field,omitempty"`
}

// Origin is the origin of one document.
type Origin struct {
	// Declared is the file of the object, or the kustomization that generates it. It is nil if it
	// isn't known.
	Declared *Source `json:"declared,omitempty"`
	// Kind and Name are those in the file.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Fields are the fields that a source wrote. Fields within them are from the same source.
	Fields []Field `json:"fields"`
}

// Field is a field of a document with the index of the source that wrote it, or -1 for the file
// that declares the object.
type Field struct {
	Path []string `json:"path"`
	By   int      `json:"by"`
}

// list returns the origins of the objects of a build. It returns nil unless the request asks for
// them.
func (c *changes) list(built resmap.ResMap) (*Origins, error) {
	if c == nil {
		return nil, nil
	}
	found := Origins{Documents: []Origin{}}
	for _, each := range built.Resources() {
		origin, err := c.origin(each)
		if err != nil {
			return nil, err
		}
		found.Documents = append(found.Documents, origin)
	}
	found.Sources = append([]Source{}, c.sources...)
	return &found, nil
}

func (c *changes) origin(object *resource.Resource) (Origin, error) {
	if err := c.update(object, inherited); err != nil {
		return Origin{}, err
	}
	known := c.objects[object]
	if known == nil {
		return Origin{Fields: []Field{}}, nil
	}
	fields := known.content.list(nil, inherited, []Field{})
	return Origin{c.bases.declared(known.origin), known.kind, known.name, fields}, nil
}

// declared returns the file of an origin, or the field of the kustomization that generates it.
func (b *bases) declared(origin *resource.Origin) *Source {
	if origin == nil {
		return nil
	}
	name := origin.Path
	field := ""
	if name == "" {
		name = origin.ConfiguredIn
		field = generatorFields[origin.ConfiguredBy.Kind]
		if field == "" {
			return nil
		}
		if slices.Contains(konfig.RecognizedKustomizationFileNames(), path.Base(name)) {
			name = path.Dir(name)
		} else {
			field = ""
		}
	}
	at, ok := b.locateOrigin(name)
	if !ok {
		return nil
	}
	return &Source{Root: at.root, Path: at.path, Field: field}
}

var generatorFields = map[string]string{
	"ConfigMapGenerator": "configMapGenerator", "SecretGenerator": "secretGenerator",
}

// locateOrigin returns the file of a path in an annotation, which is relative to the start.
func (b *bases) locateOrigin(name string) (place, bool) {
	return b.locate(clean(path.Join(b.absolute(0, b.start), name)))
}

// text returns the documents of a build. Annotations that Kustomize wrote have the paths of a build
// with clones of the remote bases.
func (b *bases) text(built resmap.ResMap) ([]byte, error) {
	for _, object := range built.Resources() {
		if err := b.finishAnnotations(object); err != nil {
			return nil, err
		}
	}
	return built.AsYaml()
}

func (b *bases) finishAnnotations(object *resource.Resource) error {
	if b.findsOrigins && !b.annotatesOrigins {
		return object.SetOrigin(nil)
	}
	if !b.annotatesBases() {
		return nil
	}
	origin, err := object.GetOrigin()
	if err != nil {
		return err
	}
	if b.isInBase(origin) {
		if err := object.SetOrigin(b.asCloned(origin)); err != nil {
			return err
		}
	}
	all, err := object.GetTransformations()
	if err != nil || !slices.ContainsFunc(all, b.isInBase) {
		return err
	}
	if err := object.ClearTransformations(); err != nil {
		return err
	}
	for _, each := range all {
		if err := object.AddTransformation(b.asCloned(each)); err != nil {
			return err
		}
	}
	return nil
}

// annotatesBases reports whether the result can contain paths of remote bases.
func (b *bases) annotatesBases() bool {
	return b.isChanged && (b.annotatesOrigins || b.annotatesTransformers)
}

func (b *bases) isInBase(origin *resource.Origin) bool {
	if origin == nil {
		return false
	}
	at, ok := b.locateOrigin(origin.Path + origin.ConfiguredIn)
	return ok && at.root > 0
}

// asCloned returns the origin that Kustomize has after it clones a remote base.
func (b *bases) asCloned(origin *resource.Origin) *resource.Origin {
	at, ok := b.locateOrigin(origin.Path + origin.ConfiguredIn)
	if !ok || at.root == 0 {
		return origin
	}
	address := b.addresses[at.root-1]
	base, _ := parseAddress(address)
	// Kustomize's own path of a whole repository is the name of a directory.
	cloned := (&resource.Origin{}).Append(address)
	copied := origin.Copy()
	copied.Repo, copied.Ref = cloned.Repo, cloned.Ref
	below := path.Join(cloned.Path, relative(base.Path, at.path))
	if copied.Path != "" {
		copied.Path = below
	} else {
		copied.ConfiguredIn = below
	}
	return &copied
}

// relative returns the path from a directory of a root to another path of it.
func relative(directory, name string) string {
	if directory == "" {
		return name
	}
	from, to := strings.Split(directory, "/"), strings.Split(name, "/")
	for len(from) > 0 && len(to) > 0 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	return strings.Repeat("../", len(from)) + strings.Join(to, "/")
}
