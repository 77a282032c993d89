package loader

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// excluded reports whether a file excludes itself from the build: by @ignore(), or by an @if(…)
// that is false without tags. qvs sets no tags.
func excluded(file *ast.File) bool {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.Attribute:
			key, body := decl.Split()
			if key == "ignore" || key == "if" && !holdsWithoutTags(body) {
				return true
			}
		case *ast.CommentGroup:
		default:
			// Attributes of the file come before its package clause; anything later belongs to a
			// field.
			return false
		}
	}
	return false
}

func holdsWithoutTags(body string) bool {
	condition, err := parser.ParseExpr("", body)
	return err == nil && holds(condition)
}

func holds(condition ast.Expr) bool {
	switch c := condition.(type) {
	case *ast.ParenExpr:
		return holds(c.X)
	case *ast.UnaryExpr:
		return c.Op == token.NOT && !holds(c.X)
	case *ast.BinaryExpr:
		if c.Op == token.LOR {
			return holds(c.X) || holds(c.Y)
		}
		return c.Op == token.LAND && holds(c.X) && holds(c.Y)
	}
	return false
}
