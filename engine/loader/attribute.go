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
			if key == "ignore" || key == "if" && !isTrueWithoutTags(body) {
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

func isTrueWithoutTags(body string) bool {
	condition, err := parser.ParseExpr("", body)
	return err == nil && isTrueCondition(condition)
}

func isTrueCondition(condition ast.Expr) bool {
	switch c := condition.(type) {
	case *ast.ParenExpr:
		return isTrueCondition(c.X)
	case *ast.UnaryExpr:
		return c.Op == token.NOT && !isTrueCondition(c.X)
	case *ast.BinaryExpr:
		if c.Op == token.LOR {
			return isTrueCondition(c.X) || isTrueCondition(c.Y)
		}
		return c.Op == token.LAND && isTrueCondition(c.X) && isTrueCondition(c.Y)
	}
	return false
}
