package evaluator

import (
	"encoding/json"
	"path"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
)

// Description is the interface of an adapter without parameters.
type Description struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Group       string      `json:"group"`
	Doc         string      `json:"doc"`
	Position    *Position   `json:"position,omitempty"`
	Parameters  Shape       `json:"parameters"`
	Conditions  []Condition `json:"conditions"`
	Composites  []Composite `json:"composites"`
	// Pipelines reports whether the adapter declares any.
	Pipelines bool `json:"pipelines"`
}

// Composite is one element of an adapter's `composites`.
type Composite struct {
	// Pattern is the import path; empty if the pattern isn't the field DesignPattern of a package.
	Pattern    string      `json:"pattern"`
	Name       string      `json:"name"`
	Group      string      `json:"group"`
	Composites []Composite `json:"composites"`
}

// Condition is a part of `parameters` that exists only under a condition, which a list of fields
// can't express.
type Condition struct {
	Text     string    `json:"text"`
	Position *Position `json:"position,omitempty"`
}

// Describe returns the description of the DesignPattern of a loaded package.
func (e *Evaluator) Describe(importPath string, pattern Handle) Description {
	value := e.value(pattern)
	d := &describer{budget: nodeLimit, scopes: map[*ast.StructLit]bool{}, parsed: map[cue.Value]parsed{}}
	parameters := d.parameters(value.LookupPath(cue.ParsePath("parameters")))
	return Description{
		Name:        textAt(value, "name"),
		Description: textAt(value, "description"),
		Group:       textAt(value, "group"),
		Doc:         e.packageDoc(importPath) + docOf(value),
		Position:    positionOf(value.Pos()),
		Parameters:  parameters,
		Conditions:  append([]Condition{}, d.conditions...),
		Composites:  compositesOf(value, 2),
		Pipelines:   value.LookupPath(cue.ParsePath("pipelines")).Exists(),
	}
}

// packageDoc returns the comment above the package clause.
func (e *Evaluator) packageDoc(importPath string) string {
	text := ""
	for _, file := range e.loader.Load(importPath).Files {
		for _, decl := range file.Decls {
			clause, ok := decl.(*ast.Package)
			if !ok {
				continue
			}
			for _, group := range append(ast.Comments(file), ast.Comments(clause)...) {
				if group.Doc {
					text += group.Text()
				}
			}
		}
	}
	return text
}

func compositesOf(value cue.Value, levels int) []Composite {
	composites := []Composite{}
	if levels == 0 {
		return composites
	}
	for _, element := range elementsOf(value.LookupPath(cue.ParsePath("composites"))) {
		pattern := element.LookupPath(cue.ParsePath("pattern"))
		composites = append(composites, Composite{
			Pattern:    packageOf(pattern),
			Name:       textAt(pattern, "name"),
			Group:      textAt(element, "group"),
			Composites: compositesOf(pattern, levels-1),
		})
	}
	return composites
}

// packageOf returns the import path of the package to whose DesignPattern a value refers.
func packageOf(value cue.Value) string {
	root, at := value.ReferencePath()
	instance := root.BuildInstance()
	if instance == nil || at.String() != "DesignPattern" {
		return ""
	}
	// Users write it without the major version, and add the name only if it isn't the last element.
	parts := ast.ParseImportPath(instance.DisplayPath)
	parts.Version = ""
	parts.ExplicitQualifier = parts.Qualifier != path.Base(parts.Path)
	return parts.String()
}

func textAt(value cue.Value, field string) string {
	text, _ := value.LookupPath(cue.ParsePath(field)).String()
	return text
}

func jsonOf(value cue.Value) json.RawMessage {
	text, err := value.MarshalJSON()
	if err != nil {
		return nil
	}
	return text
}
