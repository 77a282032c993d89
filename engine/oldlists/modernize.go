// Package oldlists replaces `+` and `*` between lists, which CUE removed in v0.11, with list.Concat
// and list.Repeat. Older adapters still use them; numbers and strings keep their operators.
package oldlists

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/token"
)

// Rewrite is one replaced operation.
type Rewrite struct {
	Pos     token.Pos
	Message string
}

// Site is an operation as the evaluator's error identifies it: the start of its left operand, and
// its operator. All operations of a chain `a + b + c` start at the same place, and if one is about
// lists, all are.
type Site struct {
	File   string
	Offset int
	Op     token.Token
}

// Modernize rewrites operations that are about lists by their syntax, and all operations at the
// given sites.
func Modernize(file *ast.File, known map[Site]bool) []Rewrite {
	if !hasArithmetic(file) {
		return nil
	}
	m := &modernizer{known: known, filename: file.Filename, definitions: definitionsOf(file)}
	var rewrites []Rewrite
	astutil.Apply(file, nil, func(cursor astutil.Cursor) bool {
		operation, ok := cursor.Node().(*ast.BinaryExpr)
		if !ok || !isArithmetic(operation) || isInnerOfChain(operation, cursor.Parent().Node()) {
			return true
		}
		if call := m.modern(operation); call != nil {
			rewrites = append(rewrites, rewriteOf(operation))
			cursor.Replace(call)
		}
		return true
	})
	if len(rewrites) > 0 {
		// Sanitize imports "list", under another name if that name is used.
		_ = astutil.Sanitize(file)
	}
	return oncePerPlace(rewrites)
}

// hasArithmetic reports whether a file needs the expensive walk of astutil.Apply. Most files don't.
func hasArithmetic(file *ast.File) bool {
	found := false
	ast.Walk(file, func(node ast.Node) bool {
		operation, ok := node.(*ast.BinaryExpr)
		found = found || ok && isArithmetic(operation)
		return !found
	}, nil)
	return found
}

func isArithmetic(operation *ast.BinaryExpr) bool {
	return operation.Op == token.ADD || operation.Op == token.MUL
}

// isInnerOfChain reports whether an operation belongs to a chain `a + b + c` whose outermost
// operation decides about all of it.
func isInnerOfChain(operation *ast.BinaryExpr, parent ast.Node) bool {
	outer, ok := parent.(*ast.BinaryExpr)
	return ok && outer.Op == token.ADD && operation.Op == token.ADD
}

type modernizer struct {
	definitions definitions
	known       map[Site]bool
	filename    string
}

// modern returns the call that replaces an operation on lists, or nil for any other operation.
// Parentheses are replaced first, so an operand can already be a call of list.Concat.
func (m *modernizer) modern(operation *ast.BinaryExpr) ast.Expr {
	site := Site{m.filename, operation.Pos().Offset(), operation.Op}
	if !m.known[site] && !m.isAboutLists(operation) {
		return nil
	}
	if operation.Op == token.MUL {
		list, count := operation.X, operation.Y
		if m.definitions.looksLike(operation.Y) == aList || m.definitions.looksLike(operation.X) == noList {
			list, count = operation.Y, operation.X
		}
		return call(operation, "Repeat", list, count)
	}
	operands := append(concatenated(operation.X), concatenated(operation.Y)...)
	return call(operation, "Concat", &ast.ListLit{Elts: operands})
}

func (m *modernizer) isAboutLists(operation *ast.BinaryExpr) bool {
	operands := concatenated(operation)
	if operation.Op == token.MUL {
		operands = []ast.Expr{operation.X, operation.Y}
	}
	some := false
	for _, operand := range operands {
		switch m.definitions.looksLike(operand) {
		case noList:
			if operation.Op == token.ADD {
				return false
			}
		case aList:
			some = true
		}
	}
	return some
}

// concatenated flattens a chain: a + b + c, or list.Concat([a, b]) + c where a + b was rewritten
// already.
func concatenated(expr ast.Expr) []ast.Expr {
	switch x := expr.(type) {
	case *ast.ParenExpr:
		if inner := concatenated(x.X); len(inner) > 1 {
			return inner
		}
	case *ast.BinaryExpr:
		if x.Op == token.ADD {
			return append(concatenated(x.X), concatenated(x.Y)...)
		}
	case *ast.CallExpr:
		if isCallOf(x, "Concat") && len(x.Args) == 1 {
			if list, ok := x.Args[0].(*ast.ListLit); ok && !hasSpread(list) {
				return list.Elts
			}
		}
	}
	return []ast.Expr{expr}
}

func hasSpread(list *ast.ListLit) bool {
	for _, element := range list.Elts {
		switch element.(type) {
		case *ast.Ellipsis, *ast.Comprehension:
			return true
		}
	}
	return false
}

// call builds list.<function>(args…) at the position of the operation, so that errors still point
// there.
func call(operation *ast.BinaryExpr, function string, args ...ast.Expr) ast.Expr {
	at := operation.OpPos.WithRel(token.NoSpace)
	ast.SetRelPos(args[0], token.NoSpace)
	pkg := &ast.Ident{NamePos: operation.Pos(), Name: "list", Node: ast.NewImport(nil, "list")}
	expr := &ast.CallExpr{
		Fun:    &ast.SelectorExpr{X: pkg, Sel: &ast.Ident{NamePos: at, Name: function}},
		Lparen: at,
		Args:   args,
		Rparen: at,
	}
	ast.SetComments(expr, ast.Comments(operation))
	return expr
}

func rewriteOf(operation *ast.BinaryExpr) Rewrite {
	message := "`+` between lists was removed from CUE; it is read as list.Concat([…])"
	if operation.Op == token.MUL {
		message = "`*` on a list was removed from CUE; it is read as list.Repeat(…)"
	}
	return Rewrite{Pos: operation.Pos(), Message: message}
}

func oncePerPlace(rewrites []Rewrite) []Rewrite {
	var kept []Rewrite
	seen := map[Rewrite]bool{}
	for _, rewrite := range rewrites {
		rewrite.Pos = rewrite.Pos.WithRel(0)
		if !seen[rewrite] {
			seen[rewrite] = true
			kept = append(kept, rewrite)
		}
	}
	return kept
}
