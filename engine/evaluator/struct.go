package evaluator

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// Sourced is a field with JSON and its place.
type Sourced struct {
	Name   string          `json:"name"`
	Value  json.RawMessage `json:"value"`
	Where  Position        `json:"where"`
	Places []Place         `json:"places"`
}

// Place is the place of a part of a value.
type Place struct {
	Path  []string `json:"path"`
	Where Position `json:"where"`
}

// Struct returns a struct whose values have the given places, so that a conflict shows them.
func (e *Evaluator) Struct(fields []Sourced) Handle {
	files := tokenFiles(fields)
	syntax := &ast.StructLit{}
	for _, field := range fields {
		e.sources[field.Where.File] = true
		w := written{at: files.pos(field.Where), places: files.within(field)}
		syntax.Elts = append(syntax.Elts, w.field(field.Name, w.json(field.Value)))
	}
	return e.keep(func() cue.Value { return e.context.BuildExpr(syntax) })
}

// written makes syntax from JSON. A part without its own place has the place of the whole.
type written struct {
	at     token.Pos
	path   string
	places map[string]token.Pos
}

func (w written) below(step string) written {
	w.path = below(w.path, step)
	if at, ok := w.places[w.path]; ok {
		w.at = at
	}
	return w
}

// below appends a step to a path. Different paths give different strings.
func below(path, step string) string { return path + strconv.Quote(step) }

func (w written) json(text json.RawMessage) ast.Expr {
	decoder := json.NewDecoder(bytes.NewReader(text))
	// Numbers keep their digits: an int stays an int of any size.
	decoder.UseNumber()
	return w.next(decoder)
}

// next reads one value. The JSON is valid because the host writes it.
func (w written) next(decoder *json.Decoder) ast.Expr {
	read, _ := decoder.Token()
	switch t := read.(type) {
	case json.Delim:
		if t == '[' {
			return w.list(decoder)
		}
		return w.object(decoder)
	case string:
		return w.text(t)
	case json.Number:
		return w.number(t.String())
	case bool:
		if t {
			return &ast.BasicLit{ValuePos: w.at, Kind: token.TRUE, Value: "true"}
		}
		return &ast.BasicLit{ValuePos: w.at, Kind: token.FALSE, Value: "false"}
	}
	return &ast.BasicLit{ValuePos: w.at, Kind: token.NULL, Value: "null"}
}

func (w written) list(decoder *json.Decoder) ast.Expr {
	list := &ast.ListLit{Lbrack: w.at, Rbrack: w.at}
	for decoder.More() {
		list.Elts = append(list.Elts, w.below(strconv.Itoa(len(list.Elts))).next(decoder))
	}
	_, _ = decoder.Token()
	return list
}

func (w written) object(decoder *json.Decoder) ast.Expr {
	object := &ast.StructLit{Lbrace: w.at, Rbrace: w.at}
	for decoder.More() {
		name, _ := decoder.Token()
		inner := w.below(name.(string))
		object.Elts = append(object.Elts, inner.field(name.(string), inner.next(decoder)))
	}
	_, _ = decoder.Token()
	return object
}

// field always quotes its label: "#x" and "_x" from a config are regular fields.
func (w written) field(name string, value ast.Expr) *ast.Field {
	return &ast.Field{Label: w.text(name), TokenPos: w.at, Value: value}
}

func (w written) text(text string) *ast.BasicLit {
	return &ast.BasicLit{ValuePos: w.at, Kind: token.STRING, Value: literal.String.Quote(text)}
}

func (w written) number(text string) ast.Expr {
	kind := token.INT
	if strings.ContainsAny(text, ".eE") {
		kind = token.FLOAT
	}
	digits, negative := strings.CutPrefix(text, "-")
	number := &ast.BasicLit{ValuePos: w.at, Kind: kind, Value: digits}
	if negative {
		return &ast.UnaryExpr{OpPos: w.at, Op: token.SUB, X: number}
	}
	return number
}

type positions map[string]*token.File

// lineWidth is the number of columns of each line: a token.File has only offsets.
const lineWidth = 1 << 12

// tokenFiles makes a token.File for each file of a user that was not parsed as CUE.
func tokenFiles(fields []Sourced) positions {
	lines := map[string]int{}
	count := func(at Position) { lines[at.File] = max(lines[at.File], at.Line) }
	for _, field := range fields {
		count(field.Where)
		for _, place := range field.Places {
			count(place.Where)
		}
	}
	files := positions{}
	for name, count := range lines {
		file := token.NewFile(name, -1, (count+1)*lineWidth)
		for line := 1; line <= count; line++ {
			file.AddLine(line * lineWidth)
		}
		files[name] = file
	}
	return files
}

func (p positions) within(field Sourced) map[string]token.Pos {
	places := make(map[string]token.Pos, len(field.Places))
	for _, place := range field.Places {
		path := ""
		for _, step := range place.Path {
			path = below(path, step)
		}
		places[path] = p.pos(place.Where)
	}
	return places
}

func (p positions) pos(where Position) token.Pos {
	column := min(max(where.Column, 1), lineWidth)
	return p[where.File].Pos((max(where.Line, 1)-1)*lineWidth+column-1, token.NoRelPos)
}
