package provenance

import (
	"path"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/inject/embed"
	"cuelang.org/go/cue/token"
	"cuelang.org/go/internal/core/adt"
	"cuelang.org/go/internal/core/runtime"
	_ "cuelang.org/go/pkg"
)

// NewContext creates a context whose positions in embedded files have the same form of name as
// those in CUE files. In cuecontext.New they have the name of the attribute, which is relative to
// the directory of the CUE file.
func NewContext() *cue.Context {
	r := runtime.New()
	r.AddInjection(placing{embed.New()})
	return (*cue.Context)(r)
}

type placing struct{ runtime.Injection }

func (p placing) InjectorForInstance(b *build.Instance, r *runtime.Runtime) (runtime.Injector, errors.Error) {
	injector, err := p.Injection.InjectorForInstance(b, r)
	if err != nil {
		return nil, err
	}
	return placer{injector}, nil
}

type placer struct{ runtime.Injector }

func (p placer) InjectedValue(attr *runtime.ExternAttr, scope *adt.Vertex) (adt.Expr, errors.Error) {
	value, err := p.Injector.InjectedValue(attr, scope)
	from := attr.Attr.Pos.File()
	for _, pos := range errors.Positions(err) {
		placeFile(pos.File(), from)
	}
	if err != nil {
		return nil, err
	}
	placeValue(value, from)
	return value, nil
}

// placeValue visits one value of each embedded file, because all positions in a file share one
// token.File.
func placeValue(value adt.Expr, from *token.File) {
	switch value := value.(type) {
	case *adt.StructLit:
		for _, decl := range value.Decls {
			if field, ok := decl.(*adt.Field); ok {
				placeValue(field.Value, from)
			}
		}
	case *adt.Vertex:
		for conjunct := range value.LeafConjuncts() {
			if source := conjunct.Source(); source != nil {
				placeFile(source.Pos().File(), from)
			}
		}
	}
}

func placeFile(file, from *token.File) {
	if file != nil && file != from && file.FSLoc().IsZero() {
		file.AddLineInfo(0, path.Join(path.Dir(from.Name()), file.Name()), 1)
	}
}
