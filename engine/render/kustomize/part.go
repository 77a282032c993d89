package kustomize

import (
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// inherited is the number of the source that declares an object.
const inherited = -1

// part is a value of an object, with the source that last changed it.
type part struct {
	kind yaml.Kind
	// text is the tag and the value of a scalar.
	text   string
	by     int
	names  []string
	values []*part
}

// transformations is the annotation with the list of transformers.
const transformations = "alpha.config.kubernetes.io/transformations"

// internal reports whether a key is one of Kustomize's own annotations, which the result lacks.
func internal(key string) bool {
	return key == "config.kubernetes.io/origin" ||
		key == transformations ||
		strings.HasPrefix(key, "internal.config.kubernetes.io/") ||
		key == "config.kubernetes.io/index" || key == "config.kubernetes.io/path"
}

// update returns the part for the present value. Unchanged values keep their sources, and `by` is
// the source of the others. If it is `inherited`, Kustomize itself changed the object, for example
// the hash in a name, and changed values keep their sources too. The result is the same part if
// nothing changed.
func (p *part) update(node *yaml.Node, by int) *part {
	if p.equals(node) {
		return p
	}
	next := &part{kind: node.Kind, by: by}
	old := p
	if old == nil || old.kind != node.Kind {
		old = &part{}
	} else if node.Kind != yaml.ScalarNode || by == inherited {
		next.by = old.by
	}
	switch node.Kind {
	case yaml.MappingNode:
		at := 0
		for i := 0; i+1 < len(node.Content); i += 2 {
			name := node.Content[i].Value
			if internal(name) {
				continue
			}
			// Most fields keep their order, and an object can have thousands.
			found := old.index(name, at)
			if found >= 0 {
				at = found + 1
			}
			next.names = append(next.names, name)
			next.values = append(next.values, old.at(found).update(node.Content[i+1], by))
		}
	case yaml.SequenceNode:
		before := old.matches(node)
		for i, item := range node.Content {
			next.values = append(next.values, before[i].update(item, by))
		}
	case yaml.DocumentNode:
		for i, each := range node.Content {
			next.values = append(next.values, old.at(i).update(each, by))
		}
	default:
		next.text = scalarText(node)
	}
	return next
}

// mark sets the source of all scalars within some fields of an object.
func (p *part) mark(by int, fields ...string) {
	if p == nil {
		return
	}
	if p.kind == yaml.ScalarNode {
		p.by = by
	}
	for i, each := range p.values {
		if len(fields) == 0 || slices.Contains(fields, p.names[i]) {
			each.mark(by)
		}
	}
}

func scalarText(node *yaml.Node) string {
	return node.ShortTag() + " " + node.Value
}

// index returns the index of a field, or -1. It looks at an expected index first.
func (p *part) index(name string, expected int) int {
	if expected < len(p.names) && p.names[expected] == name {
		return expected
	}
	return slices.Index(p.names, name)
}

func (p *part) at(index int) *part {
	if index < 0 || index >= len(p.values) {
		return nil
	}
	return p.values[index]
}

func (p *part) equals(node *yaml.Node) bool {
	if p == nil || p.kind != node.Kind {
		return false
	}
	switch node.Kind {
	case yaml.MappingNode:
		count := 0
		for i := 0; i+1 < len(node.Content); i += 2 {
			name := node.Content[i].Value
			if internal(name) {
				continue
			}
			// Most objects keep the order of their fields.
			known := p.at(count)
			if count >= len(p.names) || p.names[count] != name || !known.equals(node.Content[i+1]) {
				return false
			}
			count++
		}
		return count == len(p.values)
	case yaml.SequenceNode, yaml.DocumentNode:
		if len(p.values) != len(node.Content) {
			return false
		}
		for i, each := range node.Content {
			if !p.values[i].equals(each) {
				return false
			}
		}
		return true
	default:
		return p.text == scalarText(node)
	}
}

// matches returns the former part of each item of a list: the item with the same name, or an equal
// item, or the item at the same index of a list with the same length.
func (p *part) matches(list *yaml.Node) []*part {
	found := make([]*part, len(list.Content))
	used := make([]bool, len(p.values))
	take := func(isSame func(old *part, item *yaml.Node) bool) {
		for i, item := range list.Content {
			for j := 0; found[i] == nil && j < len(p.values); j++ {
				if !used[j] && isSame(p.values[j], item) {
					found[i], used[j] = p.values[j], true
				}
			}
		}
	}
	if len(p.values)*len(list.Content) <= maxComparisons {
		take(func(old *part, item *yaml.Node) bool {
			name := itemName(item)
			return name != "" && name == old.name()
		})
		take(func(old *part, item *yaml.Node) bool { return itemName(item) == "" && old.equals(item) })
	}
	if len(p.values) == len(list.Content) {
		for i, item := range list.Content {
			if found[i] == nil && !used[i] && itemName(item) == "" {
				found[i] = p.values[i]
			}
		}
	}
	return found
}

// maxComparisons is the maximum number of comparisons of the items of one list. Items of longer
// lists are compared by index only.
const maxComparisons = 1_000_000

func itemName(item *yaml.Node) string {
	if item.Kind != yaml.MappingNode {
		return ""
	}
	for i := 0; i+1 < len(item.Content); i += 2 {
		if item.Content[i].Value == "name" && item.Content[i+1].Kind == yaml.ScalarNode {
			return scalarText(item.Content[i+1])
		}
	}
	return ""
}

func (p *part) name() string {
	if found := p.at(p.index("name", 0)); found != nil && p.kind == yaml.MappingNode {
		return found.text
	}
	return ""
}

// list adds the fields whose source differs from that of the part around them.
func (p *part) list(path []string, around int, to []Field) []Field {
	if p.by != around {
		to = append(to, Field{Path: append([]string{}, path...), By: p.by})
	}
	for i, each := range p.values {
		step := strconv.Itoa(i)
		if p.kind == yaml.MappingNode {
			step = p.names[i]
		}
		to = each.list(append(path, step), p.by, to)
	}
	return to
}
