package evaluator

import (
	"cuelang.org/go/cue"
)

// Field describes one field of a struct.
type Field struct {
	Name     string    `json:"name"`
	Value    Handle    `json:"value"`
	Optional bool      `json:"optional"`
	Required bool      `json:"required,omitempty"`
	Kind     string    `json:"kind"`
	Doc      string    `json:"doc,omitempty"`
	Position *Position `json:"position,omitempty"`
}

// Fields lists regular, optional and required fields in the order of their declaration.
func (e *Evaluator) Fields(of Handle) []Field {
	fields := []Field{}
	for index, field := range fieldsOf(e.value(of)) {
		fields = append(fields, Field{
			Name:     field.selector.Unquoted(),
			Value:    e.keepKnown(field.value, func() cue.Value { return fieldAt(e.value(of), index) }),
			Optional: field.selector.ConstraintType() == cue.OptionalConstraint,
			Required: field.selector.ConstraintType() == cue.RequiredConstraint,
			Kind:     field.value.IncompleteKind().String(),
			Doc:      docOf(field.value),
			Position: positionOf(field.value.Pos()),
		})
	}
	return fields
}

type field struct {
	selector cue.Selector
	value    cue.Value
}

func fieldsOf(value cue.Value) []field {
	iterator, err := value.Fields(cue.Optional(true))
	if err != nil {
		return nil
	}
	var fields []field
	for iterator.Next() {
		fields = append(fields, field{iterator.Selector(), iterator.Value()})
	}
	return fields
}

func fieldAt(value cue.Value, index int) cue.Value {
	if fields := fieldsOf(value); index < len(fields) {
		return fields[index].value
	}
	return cue.Value{}
}

func docOf(value cue.Value) string {
	text := ""
	for _, group := range value.Doc() {
		text += group.Text()
	}
	return text
}
