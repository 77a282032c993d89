package provenance

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/internal/core/adt"
)

// IsErrorOfPart reports whether the error of a value is only that of one of its parts. CUE then no
// longer knows the conditions of the value itself that it couldn't decide.
func IsErrorOfPart(value cue.Value) bool {
	v := value.Core().V
	if v == nil {
		return false
	}
	bottom := v.Bottom()
	return bottom != nil && bottom.ChildError
}

// IsUndecided reports whether a value is a disjunction without one default.
func IsUndecided(value cue.Value) bool {
	v := value.Core().V
	if v == nil {
		return false
	}
	_, isDisjunction := v.DerefValue().Default().BaseValue.(*adt.Disjunction)
	return isDisjunction
}

// IsSame reports whether two values have the same parts. A part that both take from one package
// isn't compared again. Closedness, optional fields and the texts of errors aren't compared.
func IsSame(a, b cue.Value) bool {
	one, other := a.Core().V, b.Core().V
	return one != nil && other != nil && isSame(one, other)
}

func isSame(a, b *adt.Vertex) bool {
	a, b = a.DerefValue(), b.DerefValue()
	if a == b {
		return true
	}
	members := membersOf(a)
	if len(members) != len(membersOf(b)) || !isSameBase(a.BaseValue, b.BaseValue) {
		return false
	}
	for _, member := range members {
		other := b.Lookup(member.Label)
		if other == nil || other.ArcType != adt.ArcMember || !isSame(member, other) {
			return false
		}
	}
	return true
}

func membersOf(v *adt.Vertex) []*adt.Vertex {
	var members []*adt.Vertex
	for _, arc := range v.Arcs {
		if arc.ArcType == adt.ArcMember && !arc.Label.IsLet() {
			members = append(members, arc)
		}
	}
	return members
}

func isSameBase(a, b adt.BaseValue) bool {
	switch x := a.(type) {
	case *adt.Bottom:
		y, ok := b.(*adt.Bottom)
		return ok && x.Code == y.Code
	case *adt.Disjunction:
		y, ok := b.(*adt.Disjunction)
		return ok && x.NumDefaults == y.NumDefaults && len(x.Values) == len(y.Values)
	case *adt.StructMarker:
		_, ok := b.(*adt.StructMarker)
		return ok
	case *adt.ListMarker:
		_, ok := b.(*adt.ListMarker)
		return ok
	}
	one, isValue := a.(adt.Value)
	other, isOther := b.(adt.Value)
	return isValue && isOther && one.Kind() == other.Kind()
}
