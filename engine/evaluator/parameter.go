package evaluator

import (
	"encoding/json"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
)

// Parameter is one field of `parameters`, or of a struct within.
type Parameter struct {
	Name  string `json:"name"`
	Shape Shape  `json:"shape"`
	// Presence is "required", "optional" (absent by default), "default", "computed" (by default
	// made from other parameters) or "conditional" (declared only under a condition).
	Presence string `json:"presence"`
	// Default is the value of a parameter that isn't set.
	Default json.RawMessage `json:"default,omitempty"`
	// Computed is the source of the value of a parameter that isn't set, if it depends on other
	// parameters.
	Computed string    `json:"computed,omitempty"`
	Doc      string    `json:"doc,omitempty"`
	Position *Position `json:"position,omitempty"`
}

func (d *describer) structShape(value cue.Value) Shape {
	conditional := d.enter(value)
	shape := Shape{Is: "struct", Kinds: "struct", Fields: []Parameter{}, Closed: !value.Allows(cue.AnyString)}
	iterator, err := value.Fields(cue.Optional(true), cue.Patterns(true))
	if err != nil {
		return d.source(value)
	}
	for iterator.Next() {
		selector := iterator.Selector()
		if selector.ConstraintType() == cue.PatternConstraint {
			pattern := Pattern{Key: d.shape(selector.Pattern()), Value: d.shape(iterator.Value())}
			shape.Patterns = append(shape.Patterns, pattern)
			continue
		}
		shape.Fields = append(shape.Fields, d.parameter(selector, iterator.Value(), conditional))
	}
	return shape
}

// comprehended are the names of fields that a comprehension makes; "" for computed names.
type comprehended map[string]bool

// enter records the struct as a scope with its comprehensions, and returns the names of the fields
// that they make.
func (d *describer) enter(value cue.Value) comprehended {
	conditional := comprehended{}
	for _, node := range d.sourcesOf(value) {
		literal, ok := node.(*ast.StructLit)
		if !ok || d.scopes[literal] {
			continue
		}
		d.scopes[literal] = true
		for _, decl := range literal.Elts {
			comprehension, ok := decl.(*ast.Comprehension)
			if !ok {
				continue
			}
			d.conditions = append(d.conditions, Condition{Text: formatted(comprehension), Position: positionOf(comprehension.Pos())})
			for _, name := range fieldsIn(comprehension) {
				conditional[name] = true
			}
		}
	}
	return conditional
}

func fieldsIn(comprehension *ast.Comprehension) []string {
	literal, ok := comprehension.Value.(*ast.StructLit)
	if !ok {
		return nil
	}
	var names []string
	for _, decl := range literal.Elts {
		if field, ok := decl.(*ast.Field); ok {
			// A computed name is empty.
			name, _, _ := ast.LabelName(field.Label)
			names = append(names, name)
		}
	}
	return names
}

func (d *describer) parameter(selector cue.Selector, value cue.Value, conditional comprehended) Parameter {
	name := selector.Unquoted()
	field := d.fieldOf(value, name)
	parameter := Parameter{Name: name, Shape: d.shape(value), Doc: commentsOf(value, field), Position: positionOf(value.Pos())}
	if field != nil {
		parameter.Position = positionOf(field.Label.Pos())
	}
	parameter.Presence, parameter.Default, parameter.Computed = d.presence(selector, value, parameter.Shape)
	if conditional[name] || field == nil && conditional[""] {
		parameter.Presence = "conditional"
	}
	return parameter
}

func (d *describer) presence(selector cue.Selector, value cue.Value, shape Shape) (string, json.RawMessage, string) {
	if selector.ConstraintType() == cue.OptionalConstraint {
		return "optional", nil, ""
	}
	if shape.Is == "source" {
		return "computed", nil, shape.Text
	}
	if marked := d.markedDefault(value); marked != nil && d.mentions(marked) {
		return "computed", nil, oneLine(marked)
	}
	if value.Validate(cue.Concrete(true), cue.Final()) == nil && !hasComputed(shape) {
		return "default", jsonOf(value), ""
	}
	if needsInput(shape) {
		return "required", nil, ""
	}
	return "computed", nil, ""
}

// needsInput reports whether a user must set a value, for all values of other parameters.
func needsInput(shape Shape) bool {
	switch shape.Is {
	case "struct":
		for _, field := range shape.Fields {
			if field.Presence == "required" {
				return true
			}
		}
		return false
	case "list":
		for _, element := range shape.Parts {
			if needsInput(element) {
				return true
			}
		}
		return false
	case "value":
		return false
	}
	return true
}

func hasComputed(shape Shape) bool {
	for _, field := range shape.Fields {
		if field.Presence == "computed" || field.Presence == "default" && hasComputed(field.Shape) {
			return true
		}
	}
	for _, element := range shape.Parts {
		if shape.Is == "list" && element.Is == "source" {
			return true
		}
	}
	return false
}

// commentsOf returns the comment lines above a declaration and behind it.
func commentsOf(value cue.Value, field *ast.Field) string {
	text := docOf(value)
	if field == nil {
		return text
	}
	for _, node := range []ast.Node{field, field.Value} {
		for _, group := range ast.Comments(node) {
			if group.Line && !strings.Contains(text, group.Text()) {
				text += group.Text()
			}
		}
	}
	return text
}
