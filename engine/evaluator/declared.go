package evaluator

import (
	"bytes"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"
)

// textLimit is the length at which the source of one expression is cut, in bytes.
const textLimit = 1000

// parsed is a result of Expr, which costs an evaluation.
type parsed struct {
	op   cue.Op
	args []cue.Value
}

func (d *describer) expr(value cue.Value) (cue.Op, []cue.Value) {
	known, ok := d.parsed[value]
	if !ok {
		known.op, known.args = value.Expr()
		d.parsed[value] = known
	}
	return known.op, known.args
}

// sourcesOf returns the expressions of all declarations of a value.
func (d *describer) sourcesOf(value cue.Value) []ast.Node {
	nodes := []ast.Node{}
	for _, node := range d.declarationsOf(value) {
		if field, ok := node.(*ast.Field); ok {
			node = field.Value
		}
		nodes = append(nodes, node)
	}
	return nodes
}

func (d *describer) declarationsOf(value cue.Value) []ast.Node {
	values := []cue.Value{value}
	if op, args := d.expr(value); op == cue.AndOp {
		values = append(values, args...)
	}
	var nodes []ast.Node
	for _, each := range values {
		if node := each.Source(); node != nil {
			nodes = append(nodes, node)
		}
		if root, _ := each.ReferencePath(); root.Exists() {
			if node := cue.Dereference(each).Source(); node != nil {
				nodes = append(nodes, node)
			}
		}
	}
	return nodes
}

// fieldOf returns the declaration with this name, nil if the value has another source.
func (d *describer) fieldOf(value cue.Value, name string) *ast.Field {
	for _, node := range d.declarationsOf(value) {
		field, ok := node.(*ast.Field)
		if !ok {
			continue
		}
		if label, _, err := ast.LabelName(field.Label); err == nil && label == name {
			return field
		}
	}
	return nil
}

// markedDefault returns the disjunct with the star, nil without one.
func (d *describer) markedDefault(value cue.Value) ast.Expr {
	for _, node := range d.sourcesOf(value) {
		if expr, ok := node.(ast.Expr); ok {
			if marked := markedIn(expr); marked != nil {
				return marked
			}
		}
	}
	return nil
}

func markedIn(expr ast.Expr) ast.Expr {
	switch x := expr.(type) {
	case *ast.ParenExpr:
		return markedIn(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.MUL {
			return x.X
		}
	case *ast.BinaryExpr:
		if x.Op != token.OR && x.Op != token.AND {
			return nil
		}
		if marked := markedIn(x.X); marked != nil {
			return marked
		}
		return markedIn(x.Y)
	}
	return nil
}

// depends reports whether a value is made from parameters.
func (d *describer) depends(value cue.Value) bool {
	node := value.Source()
	if field, ok := node.(*ast.Field); ok {
		node = field.Value
	}
	expr, ok := node.(ast.Expr)
	if !ok {
		return false
	}
	switch x := expr.(type) {
	case *ast.StructLit:
		// Each of its fields is checked separately.
		return false
	case *ast.ListLit:
		return d.listDepends(x)
	case *ast.BinaryExpr:
		if x.Op == token.AND || x.Op == token.OR {
			return false
		}
	}
	return d.mentions(expr)
}

func (d *describer) listDepends(list *ast.ListLit) bool {
	for _, element := range list.Elts {
		if _, ok := element.(*ast.Comprehension); ok && d.mentions(element) {
			return true
		}
	}
	return false
}

// mentions reports whether source refers to a parameter. Definitions within `parameters` aren't
// parameters.
func (d *describer) mentions(node ast.Node) bool {
	found := false
	ast.Walk(node, func(each ast.Node) bool {
		switch x := each.(type) {
		case *ast.SelectorExpr:
			found = found || d.isParameter(x)
		case *ast.Ident:
			// The key must not be an interface: looking up a nil one in a map of more than 1024
			// entries traps in the WebAssembly that Go 1.26 makes.
			scope, _ := x.Scope.(*ast.StructLit)
			found = found || d.scopes[scope] && !isDefinitionName(x.Name)
			if let, ok := x.Node.(*ast.LetClause); ok && !found {
				found = d.mentions(let.Expr)
			}
		}
		return !found
	}, nil)
	return found
}

// isParameter recognizes `parameters.x`, but not `parameters.#X`.
func (d *describer) isParameter(selector *ast.SelectorExpr) bool {
	x, ok := selector.X.(*ast.Ident)
	if !ok || x.Name != "parameters" {
		return false
	}
	name, _, err := ast.LabelName(selector.Sel)
	return err == nil && !isDefinitionName(name)
}

func isDefinitionName(name string) bool {
	return strings.HasPrefix(name, "#") || strings.HasPrefix(name, "_#")
}

func (d *describer) sourceText(value cue.Value) string {
	for _, node := range d.sourcesOf(value) {
		if text := oneLine(node); text != "" {
			return text
		}
	}
	return ""
}

// oneLine returns source on one line, for a table.
func oneLine(node ast.Node) string {
	return strings.Join(strings.Fields(formatted(node)), " ")
}

func formatted(node ast.Node) string {
	if comprehension, ok := node.(*ast.Comprehension); ok {
		// The formatter accepts it only as a part of a file or struct.
		node = &ast.File{Decls: []ast.Decl{comprehension}}
	}
	text, err := format.Node(node)
	if err != nil {
		return ""
	}
	text = bytes.TrimSpace(text)
	if len(text) > textLimit {
		return strings.ToValidUTF8(string(text[:textLimit]), "") + " …"
	}
	return string(text)
}
