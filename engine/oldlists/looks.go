package oldlists

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// looks is the kind of an expression by its syntax, without evaluation.
type looks int

const (
	unknown looks = iota
	aList
	noList
)

// definitions are the values of each name in a file, in all scopes. References are resolved by name
// alone, which is enough as long as all definitions of the name agree.
type definitions map[string][]ast.Expr

func definitionsOf(file *ast.File) definitions {
	found := definitions{}
	ast.Walk(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.Field:
			if name, _, err := ast.LabelName(node.Label); err == nil && node.Value != nil {
				found[name] = append(found[name], node.Value)
			}
		case *ast.LetClause:
			found[node.Ident.Name] = append(found[node.Ident.Name], node.Expr)
		}
		return true
	}, nil)
	return found
}

func (d definitions) looksLike(expr ast.Expr) looks { return d.look(expr, map[string]bool{}) }

// look follows references; `following` contains the names on the way, so that a cycle ends.
func (d definitions) look(expr ast.Expr, following map[string]bool) looks {
	switch x := expr.(type) {
	case *ast.ListLit:
		return aList
	case *ast.BasicLit, *ast.Interpolation:
		return noList
	case *ast.ParenExpr:
		return d.look(x.X, following)
	case *ast.UnaryExpr:
		if x.Op == token.MUL {
			return d.look(x.X, following)
		}
		return noList
	case *ast.BinaryExpr:
		return d.operation(x, following)
	case *ast.CallExpr:
		return resultOf(x)
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(x.Sel)
		if err != nil {
			return unknown
		}
		return d.named(name, following)
	case *ast.Ident:
		return d.named(x.Name, following)
	}
	return unknown
}

func (d definitions) operation(x *ast.BinaryExpr, following map[string]bool) looks {
	left, right := d.look(x.X, following), d.look(x.Y, following)
	switch x.Op {
	case token.AND:
		// A conjunction is a list if one side is.
		if left == aList || right == aList {
			return aList
		}
	case token.OR, token.ADD:
		if left == right {
			return left
		}
	case token.MUL:
		if left == aList || right == aList {
			return aList
		}
	default:
		return noList
	}
	return unknown
}

func (d definitions) named(name string, following map[string]bool) looks {
	if builtin, ok := builtinLooks[name]; ok && len(d[name]) == 0 {
		return builtin
	}
	if following[name] || len(d[name]) == 0 {
		return unknown
	}
	following[name] = true
	defer delete(following, name)
	all := d.look(d[name][0], following)
	for _, value := range d[name][1:] {
		if d.look(value, following) != all {
			return unknown
		}
	}
	return all
}

var builtinLooks = map[string]looks{
	"string": noList, "bytes": noList, "int": noList, "number": noList, "float": noList, "bool": noList,
}

// listFunctions return lists. The evaluator decides about functions that aren't listed here.
var listFunctions = map[string]map[string]bool{
	"list": {
		"Concat": true, "Repeat": true, "Sort": true, "SortStable": true, "SortStrings": true, "Slice": true,
		"FlattenN": true, "Range": true, "Take": true, "Drop": true, "Reverse": true,
	},
	"strings": {
		"Split": true, "SplitN": true, "SplitAfter": true, "SplitAfterN": true, "Fields": true, "Runes": true,
	},
}

func resultOf(call *ast.CallExpr) looks {
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return unknown
	}
	pkg, ok := function.X.(*ast.Ident)
	if !ok {
		return unknown
	}
	name, _, err := ast.LabelName(function.Sel)
	if err == nil && listFunctions[pkg.Name][name] {
		return aList
	}
	return unknown
}

func isCallOf(call *ast.CallExpr, name string) bool {
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, isIdent := function.X.(*ast.Ident)
	found, _, err := ast.LabelName(function.Sel)
	return isIdent && pkg.Name == "list" && err == nil && found == name
}
