package helm

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	chart "helm.sh/helm/v4/pkg/chart/v2"

	"qvs/render/problem"
)

const schemaFile = "file:///values.schema.json"

// checkSchemas compares the values with the schemas of the chart and its dependencies. It returns
// the messages of Helm, whose own check would open files and connections for references in a
// schema.
func checkSchemas(loaded *chart.Chart, values map[string]any) error {
	text, err := schemaErrors(loaded, values)
	if err != nil {
		return err
	}
	if text == "" {
		return nil
	}
	return problem.New(problem.Invalid,
		"values don't meet the specifications of the schema(s) in the following chart(s):\n%s", text)
}

func schemaErrors(loaded *chart.Chart, values map[string]any) (string, error) {
	var text strings.Builder
	if loaded.Schema != nil {
		message, err := checkSchema(loaded.Schema, values)
		if err != nil {
			return "", err
		}
		if message != "" {
			fmt.Fprintf(&text, "%s:\n%s", loaded.Name(), message)
		}
	}
	for _, child := range loaded.Dependencies() {
		raw, exists := values[child.Name()]
		if !exists || raw == nil {
			continue
		}
		inner, isTable := raw.(map[string]any)
		if !isTable {
			fmt.Fprintf(&text, "%s:\ninvalid type for values: expected object (map), got %T\n", child.Name(), raw)
			continue
		}
		message, err := schemaErrors(child, inner)
		if err != nil {
			return "", err
		}
		text.WriteString(message)
	}
	return text.String(), nil
}

func checkSchema(text []byte, values map[string]any) (message string, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			message = fmt.Sprintf("unable to validate schema: %s", reason)
		}
	}()
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err.Error(), nil
	}
	refused := &rejectedReference{}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(refused)
	if err := compiler.AddResource(schemaFile, schema); err != nil {
		return err.Error(), nil
	}
	validator, err := compiler.Compile(schemaFile)
	if refused.reference != "" {
		return "", problem.New(problem.Unsupported,
			"values.schema.json refers to %s: qvs reads no other file and no URL", refused.reference)
	}
	if err != nil {
		return err.Error(), nil
	}
	if err := validator.Validate(values); err != nil {
		shown := strings.TrimPrefix(err.Error(), "jsonschema validation failed with '"+schemaFile+"#'\n")
		return shown + "\n", nil
	}
	return "", nil
}

// rejectedReference loads nothing and records the reference. Like Helm, it treats a URN as a schema
// that allows everything.
type rejectedReference struct{ reference string }

func (r *rejectedReference) Load(url string) (any, error) {
	if strings.HasPrefix(url, "urn:") {
		return true, nil
	}
	r.reference = url
	return nil, fmt.Errorf("%s isn't loaded", url)
}
