package evaluator

import (
	"encoding/json"
	"fmt"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
)

// Shape is a set of allowed values. `Is` selects the other members that apply.
type Shape struct {
	Is string `json:"is"`
	// Name is the name of the referenced definition, such as #Secret, or of a predeclared type,
	// such as uint8.
	Name  string `json:"name,omitempty"`
	Kinds string `json:"kinds,omitempty"`
	// Parts contains the parts of "all" and "either", and the first elements of a "list".
	Parts []Shape `json:"of,omitempty"`
	// Value is the value of a "value", and the limit of a "bound" or "pattern".
	Value json.RawMessage `json:"value,omitempty"`
	Op    string          `json:"op,omitempty"`
	// Args are the arguments of a "call"; Op is its function.
	Args []json.RawMessage `json:"args,omitempty"`
	// Text is the source of a value that depends on other parameters.
	Text string `json:"text,omitempty"`

	Fields   []Parameter `json:"fields,omitempty"`
	Patterns []Pattern   `json:"patterns,omitempty"`
	Closed   bool        `json:"closed,omitempty"`
	// Rest is the shape of further elements of a "list"; without it, none are allowed.
	Rest *Shape `json:"rest,omitempty"`
}

// Pattern is the shape of all fields with a matching name.
type Pattern struct {
	Key   Shape `json:"key"`
	Value Shape `json:"value"`
}

const (
	// nodeLimit limits the description of a parameter whose type is a whole Kubernetes API.
	nodeLimit = 4000
	// depthLimit ends the description of a recursive value without a definition that identifies the
	// recursion.
	depthLimit = 24
)

// describer walks through one `parameters`.
type describer struct {
	budget int
	depth  int
	// open are the definitions that contain the current value.
	open []string
	// scopes are the structs of parameters: references into them depend on the parameters.
	scopes     map[*ast.StructLit]bool
	parsed     map[cue.Value]parsed
	conditions []Condition
}

func (d *describer) parameters(value cue.Value) Shape {
	if !value.Exists() {
		return Shape{Is: "struct"}
	}
	return d.structShape(value)
}

func (d *describer) shape(value cue.Value) Shape {
	d.budget--
	d.depth++
	defer func() { d.depth-- }()
	name, key := definitionOf(value)
	if d.budget < 0 || d.depth > depthLimit || key != "" && slices.Contains(d.open, key) {
		return Shape{Is: "again", Name: name, Kinds: kindsOf(value)}
	}
	if key != "" {
		d.open = append(d.open, key)
		defer func() { d.open = d.open[:len(d.open)-1] }()
	}
	shape := d.unnamed(value)
	if name != "" && shape.Name == "" {
		shape.Name = name
	}
	return shape
}

// definitionOf returns the name of the definition to which a value refers, and a key that
// distinguishes it from other definitions with this name.
func definitionOf(value cue.Value) (name, key string) {
	root, path := value.ReferencePath()
	selectors := path.Selectors()
	if !root.Exists() || len(selectors) == 0 || !selectors[len(selectors)-1].IsDefinition() {
		return "", ""
	}
	last := selectors[len(selectors)-1]
	if instance := root.BuildInstance(); instance != nil {
		return last.String(), instance.ImportPath + " " + path.String()
	}
	return last.String(), path.String()
}

func (d *describer) unnamed(value cue.Value) Shape {
	op, args := d.expr(value)
	switch {
	case op == cue.OrOp:
		return Shape{Is: "either", Parts: d.parts(args)}
	case op == cue.NoOp && len(args) == 1 && args[0] != value:
		// This is the rest of a disjunction without its default.
		return d.shape(args[0])
	case d.depends(value):
		return d.source(value)
	}
	if root, _ := value.ReferencePath(); root.Exists() {
		if target := cue.Dereference(value); target != value && target.Exists() {
			return d.unnamed(target)
		}
	}
	if isScalar(value) {
		return Shape{Is: "value", Value: jsonOf(value), Kinds: kindsOf(value)}
	}
	return d.unknown(value, op, args)
}

// unknown describes a value that isn't a single value.
func (d *describer) unknown(value cue.Value, op cue.Op, args []cue.Value) Shape {
	switch {
	case op == cue.AndOp && !d.isStructure(value, args):
		return d.all(value, args)
	case value.IncompleteKind() == cue.StructKind:
		return d.withValidators(d.structShape(value), op, args)
	case value.IncompleteKind() == cue.ListKind && op != cue.CallOp:
		return d.withValidators(d.listShape(value), op, args)
	case op == cue.CallOp && len(args) > 0:
		return d.call(value, args)
	case len(args) == 1 && isBound(op):
		return d.bound(value, op, args[0])
	case value.IncompleteKind() == cue.TopKind:
		return Shape{Is: "any"}
	case value.IncompleteKind() == cue.BottomKind || op != cue.NoOp && op != cue.SelectorOp:
		return d.source(value)
	}
	return Shape{Is: "kinds", Kinds: kindsOf(value)}
}

func isScalar(value cue.Value) bool {
	kind := value.IncompleteKind()
	return value.IsConcrete() && kind&(cue.StructKind|cue.ListKind) == 0 && kind != cue.BottomKind
}

// isStructure reports whether the parts of a conjunction are one struct or list, so that their
// fields belong together.
func (d *describer) isStructure(value cue.Value, args []cue.Value) bool {
	if kind := value.IncompleteKind(); kind != cue.StructKind && kind != cue.ListKind {
		return false
	}
	return !slices.ContainsFunc(args, func(arg cue.Value) bool {
		op, _ := d.expr(arg)
		return op == cue.OrOp
	})
}

func isBound(op cue.Op) bool {
	return slices.Contains([]cue.Op{cue.LessThanOp, cue.LessThanEqualOp, cue.GreaterThanOp, cue.GreaterThanEqualOp,
		cue.EqualOp, cue.NotEqualOp, cue.RegexMatchOp, cue.NotRegexMatchOp}, op)
}

func (d *describer) parts(values []cue.Value) []Shape {
	parts := []Shape{}
	for _, value := range values {
		part := d.shape(value)
		if !slices.ContainsFunc(parts, func(other Shape) bool { return sameShape(other, part) }) {
			parts = append(parts, part)
		}
	}
	return parts
}

func (d *describer) all(value cue.Value, args []cue.Value) Shape {
	parts := slices.DeleteFunc(d.parts(args), func(part Shape) bool { return part.Is == "any" })
	switch len(parts) {
	case 0:
		return Shape{Is: "any"}
	case 1:
		return parts[0]
	}
	return Shape{Is: "all", Parts: parts, Kinds: kindsOf(value), Name: predeclared(parts)}
}

func (d *describer) withValidators(shape Shape, op cue.Op, args []cue.Value) Shape {
	if op != cue.AndOp {
		return shape
	}
	parts := []Shape{shape}
	for _, arg := range args {
		if op, of := d.expr(arg); op == cue.CallOp && len(of) > 0 {
			parts = append(parts, d.shape(arg))
		} else if op == cue.AndOp {
			parts = append(parts, d.withValidators(Shape{}, op, of).Parts...)
		}
	}
	parts = slices.DeleteFunc(parts, func(part Shape) bool { return part.Is == "" })
	if len(parts) < 2 && shape.Is != "" {
		return shape
	}
	return Shape{Is: "all", Parts: parts, Kinds: shape.Kinds}
}

func (d *describer) bound(value cue.Value, op cue.Op, limit cue.Value) Shape {
	text := jsonOf(limit)
	if text == nil {
		return d.source(value)
	}
	return Shape{Is: "bound", Op: op.String(), Value: text, Kinds: kindsOf(value)}
}

// call describes a validator such as strings.MinRunes(3), by its name and arguments.
func (d *describer) call(value cue.Value, args []cue.Value) Shape {
	if value.Err() != nil {
		return d.source(value)
	}
	shape := Shape{Is: "call", Op: fmt.Sprint(args[0]), Kinds: kindsOf(value), Text: d.sourceText(value), Args: []json.RawMessage{}}
	if shape.Op == "close" && len(args) == 2 {
		closed := d.shape(args[1])
		closed.Closed = true
		return closed
	}
	for _, arg := range args[1:] {
		text := jsonOf(arg)
		if text == nil {
			return d.source(value)
		}
		shape.Args = append(shape.Args, text)
	}
	return shape
}

func (d *describer) source(value cue.Value) Shape {
	shape := Shape{Is: "source", Text: d.sourceText(value), Kinds: kindsOf(value)}
	for _, node := range d.sourcesOf(value) {
		if _, ok := node.(*ast.Interpolation); ok && shape.Kinds == "" {
			shape.Kinds = "string"
		}
	}
	return shape
}

func (d *describer) listShape(value cue.Value) Shape {
	shape := Shape{Is: "list", Kinds: "list", Parts: []Shape{}}
	for _, element := range elementsOf(value) {
		shape.Parts = append(shape.Parts, d.shape(element))
	}
	if rest := value.LookupPath(cue.MakePath(cue.AnyIndex)); rest.Exists() {
		further := d.shape(rest)
		shape.Rest = &further
	}
	return shape
}

func kindsOf(value cue.Value) string {
	if kind := value.IncompleteKind(); kind != cue.BottomKind && kind != cue.TopKind {
		return kind.String()
	}
	return ""
}

func sameShape(a, b Shape) bool {
	one, _ := json.Marshal(a)
	other, _ := json.Marshal(b)
	return string(one) == string(other)
}
